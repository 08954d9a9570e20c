"""The public library of an invented city: catalogue, members and loans, 2022 to 2024."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random

from claimdb_loader.sample.generate.draw import (
    Row,
    Tables,
    between,
    chance,
    day_in,
    hump,
    iso,
    pick,
    shuffled,
    weighted,
)

SCHEMA = """
CREATE TABLE branch (
    branch_id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, district TEXT NOT NULL,
    opened_on TEXT NOT NULL, shut_on TEXT, opens TEXT, closes TEXT
);
CREATE TABLE author (
    author_id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, name_orig TEXT,
    ctry TEXT NOT NULL, born INTEGER, died INTEGER
);
CREATE TABLE work (
    work_id INTEGER PRIMARY KEY, title TEXT NOT NULL UNIQUE, genre TEXT NOT NULL,
    first_pub INTEGER NOT NULL, pp INTEGER
);
CREATE TABLE work_author (
    work_id INTEGER NOT NULL REFERENCES work (work_id),
    author_id INTEGER NOT NULL REFERENCES author (author_id),
    role TEXT NOT NULL, PRIMARY KEY (work_id, author_id)
);
CREATE TABLE copy (
    copy_id INTEGER PRIMARY KEY,
    work_id INTEGER NOT NULL REFERENCES work (work_id),
    branch_id INTEGER NOT NULL REFERENCES branch (branch_id),
    fmt TEXT NOT NULL, acquired_on TEXT NOT NULL, price_eur REAL, withdrawn_on TEXT
);
CREATE TABLE member (
    member_id INTEGER PRIMARY KEY, full_name TEXT NOT NULL, cat TEXT NOT NULL,
    born INTEGER, joined_on TEXT NOT NULL,
    home_branch_id INTEGER REFERENCES branch (branch_id)
);
CREATE TABLE loan (
    loan_id INTEGER PRIMARY KEY,
    copy_id INTEGER NOT NULL REFERENCES copy (copy_id),
    member_id INTEGER NOT NULL REFERENCES member (member_id),
    out_on TEXT NOT NULL, due_on TEXT NOT NULL, back_on TEXT, renewals INTEGER NOT NULL
);
CREATE TABLE fine (
    fine_id INTEGER PRIMARY KEY,
    loan_id INTEGER NOT NULL UNIQUE REFERENCES loan (loan_id),
    cents INTEGER NOT NULL, st TEXT NOT NULL, settled_on TEXT
);
"""

BRANCHES = [
    (1, "Central", "Old Town", "1908-05-03", None, "08:30", "21:00"),
    (2, "Tramyard", "Tramyard", "1987-09-12", None, "10:00", "20:00"),
    (3, "Signal Hill", "Signal Hill", "1964-03-01", None, "11:00", "19:00"),
    (4, "Old Brewery", "Maltings", "2016-10-22", None, "09:00", "22:00"),
    (5, "Linden Park", "Lindens", "1975-06-15", None, "10:00", "18:30"),
    (6, "Quayside", "Docks", "1953-11-08", "2023-08-31", "12:00", "18:00"),
    (7, "St Brannoc's", "Northgate", "1991-01-20", None, "09:30", "18:00"),
    (8, "Bookbus", "Outskirts", "2005-04-04", None, None, None),
]
BRANCH_SHARE = {1: 33.0, 2: 17.0, 3: 9.0, 4: 20.0, 5: 8.0, 6: 5.0, 7: 5.0, 8: 3.0}

# name, name in its own script, country, born, died, weight in the catalogue, how much it is read
AUTHORS: list[tuple[str, str | None, str, int | None, int | None, float, float]] = [
    ("Zdeňka Horáčková", None, "CZ", 1968, None, 9, 1.5),
    ("Łucja Świerczyńska", None, "PL", 1979, None, 7, 2.1),
    ("Sólveig Hrafnkelsdóttir", None, "IS", 1955, 2019, 6, 0.9),
    ("Nguyễn Thị Bích Vân", None, "VN", 1983, None, 4, 1.4),
    ("Ozan Gümüşçü", None, "TR", 1971, None, 6, 1.1),
    ("Õnne Rästas", None, "EE", 1990, None, 3, 1.8),
    ("Vasilisa Ogneva", "Василиса Огнева", "RU", 1949, 2011, 5, 0.7),
    ("Taras Vyshnevyi", "Тарас Вишневий", "UA", 1987, None, 4, 1.3),
    ("Eleni Karavoulia", "Ελένη Καραβούλια", "GR", 1958, None, 5, 0.9),
    ("Nino Tsiskarauli", "ნინო ცისკარაული", "GE", 1976, None, 3, 1.0),
    ("Arpine Sarhadyan", "Արփինե Սարհադյան", "AM", 1981, None, 2, 0.8),
    ("Layla al-Zarqawani", "ليلى الزرقواني", "JO", 1974, None, 5, 1.2),
    ("Navid Shirvanpour", "نوید شیروان‌پور", "IR", 1966, None, 3, 0.7),
    ("Tirtza Almogi", "תרצה אלמוגי", "IL", 1959, None, 3, 0.8),
    ("Meenal Kashyapkar", "मीनल कश्यपकर", "IN", 1985, None, 6, 1.6),
    ("Poongodi Selvarani", "பூங்கொடி செல்வராணி", "IN", 1969, None, 3, 0.9),
    ("Wen Baihe", "温百鹤", "CN", 1963, None, 6, 1.0),
    ("Tachikake Mizuho", "立掛瑞穂", "JP", 1978, None, 8, 2.4),
    ("Baek Seorin", "백서린", "KR", 1992, None, 4, 2.6),
    ("Phimchan Suwanthong", "พิมพ์จันทร์ สุวรรณทอง", "TH", 1988, None, 2, 1.1),
    ("Tsehay Wondirad", "ፀሐይ ወንድይራድ", "ET", 1970, None, 2, 0.9),
    ("Bérengère d'Ailly-Moreau", None, "FR", 1951, 2022, 8, 0.7),
    ("Jörg Überweg", None, "DE", 1947, None, 7, 0.5),
    ("Ngozi Adébáyọ̀-Cole", None, "NG", 1986, None, 5, 1.9),
    ("Caoimhe Ní Dhuibhir", None, "IE", 1993, None, 4, 2.2),
    ("Maren Tollefsdatter", None, "NO", None, None, 3, 0.8),
    ("Rosalind Pikethorn", None, "GB", 1939, 2004, 9, 0.6),
    ("Ambrose Quillfeather", None, "GB", 1972, None, 9, 1.3),
    ("Delphine Okonjo-Marsh", None, "GB", 1980, None, 6, 1.7),
    ("Iñaki Zubizarri", None, "ES", 1960, None, 4, 0.8),
]

# fmt: off
GENRES = {
    "crime": (24.0, 1.7), "novel": (34.0, 1.0), "poetry": (9.0, 0.35), "children": (16.0, 1.5),
    "history": (12.0, 0.6), "graphic": (8.0, 1.9), "science": (9.0, 0.7),
}
HEADS = [
    "Salt", "Winter", "Paper", "Copper", "Borrowed", "Silent", "Amber", "Hollow", "Northern",
    "Glass", "Unfinished", "Crooked", "Velvet", "Tidal", "Seventh", "Bitter", "Lantern", "Wild",
]
TAILS = [
    "Orchard", "Harbour", "Letters", "Arithmetic", "Cartographer", "Kitchen", "Inheritance",
    "Meridian", "Almanac", "Sisters", "Staircase", "Apprentice", "Weather", "Garden", "Railway",
]
GIVEN = [
    "Aino", "Björn", "Chiara", "Dušan", "Émilie", "Farida", "Gökhan", "Hye-jin", "Ikechukwu",
    "Jelena", "Kwame", "Lluís", "Małgorzata", "Nadia", "Olumide", "Paloma", "Quentin", "Réka",
    "Siobhán", "Tomáš", "Ulla", "Václav", "Wiebke", "Xiulan", "Yusuf", "Zofia", "Agnes", "Bernard",
]
FAMILY = [
    "Aldercott", "Bąkowska", "Castellví", "Dvořáček", "Eşref", "Fjeldså", "Grünewaldt",
    "Hårdstedt", "Ibekwe", "Jørstad", "Kővári", "Lévêque", "Mbeki-Hale", "Nørrelund",
    "O'Shaughlin", "Pärnsalu", "Quarrington", "Rășinar", "Šimkutė", "Thornaby", "Ünlütürk",
]
# fmt: on
LAST_DAY = date(2024, 12, 31)


def _catalogue(rng: Random) -> tuple[list[Row], list[Row], list[float]]:
    """Works, who wrote them, and how much each is read."""
    works: list[Row] = []
    credits: list[Row] = []
    appeal: list[float] = []
    titles = shuffled(rng, [f"The {head} {tail}" for head in HEADS for tail in TAILS])
    shares = {at: author[5] for at, author in enumerate(AUTHORS)}
    genres = {genre: share for genre, (share, _) in GENRES.items()}
    for work_id, title in enumerate(titles[:190], start=1):
        at = weighted(rng, shares)
        born, died = AUTHORS[at][3] or 1960, AUTHORS[at][4] or 2022
        genre = weighted(rng, genres)
        length = hump(rng, 60, 640) * (0.4 if genre in ("poetry", "children") else 1)
        pages = None if chance(rng, 0.06) else int(length)
        works.append((work_id, title, genre, between(rng, min(born + 24, 2018), died), pages))
        credits.append((work_id, at + 1, "AUT"))
        if chance(rng, 0.17):
            other = weighted(rng, {key: share for key, share in shares.items() if key != at})
            credits.append((work_id, other + 1, pick(rng, ("AUT", "TRL", "TRL", "ILL"))))
        appeal.append(AUTHORS[at][6] * GENRES[genre][1] * hump(rng, 0.3, 1.7))
    return works, credits, appeal


def _copies(rng: Random, works: list[Row], appeal: list[float]) -> list[Row]:
    """The copies on the shelves: more of what is read, some withdrawn, gifts without a price."""
    copies: list[Row] = []
    for (work_id, _, _, first_pub, _), drawn in zip(works, appeal, strict=True):
        earliest = date(max(2019, int(str(first_pub)) + 1), 1, 1)
        for _ in range(1 + int(drawn * 3.1)):
            branch_id = weighted(rng, BRANCH_SHARE)
            fmt = weighted(rng, {"P": 74.0, "L": 7.0, "A": 19.0})
            closing = branch_id == 6
            got = day_in(rng, earliest, date(2023, 6, 30) if closing else date(2024, 9, 30))
            price = round(hump(rng, 8, 34) * (1.5 if fmt == "A" else 1), 2)
            paid = None if chance(rng, 0.11) else price
            worn = day_in(rng, max(got, date(2022, 6, 1)) + timedelta(days=60), LAST_DAY)
            gone = date(2023, 8, 31) if closing else worn if chance(rng, 0.07) else None
            copies.append((len(copies) + 1, work_id, branch_id, fmt, str(got), paid, iso(gone)))
    return copies


def _members(rng: Random) -> list[Row]:
    """The card holders; institutions have neither a year of birth nor a home branch."""
    members: list[Row] = []
    for member_id in range(1, 721):
        cat = weighted(rng, {"A": 61.0, "J": 22.0, "S": 14.0, "I": 3.0})
        span = {"A": (1956, 2003), "J": (2007, 2014), "S": (1934, 1957), "I": (0, 0)}[cat]
        born = between(rng, *span)
        home = None if cat == "I" or chance(rng, 0.08) else weighted(rng, BRANCH_SHARE)
        name = f"{pick(rng, GIVEN)} {pick(rng, FAMILY)}"
        joined = day_in(rng, date(max(2014, born + 5), 1, 1), date(2021, 12, 31))
        stated = None if cat == "I" or chance(rng, 0.05) else born
        members.append((member_id, name, cat, stated, joined.isoformat(), home))
    return members


def _loans_of(rng: Random, copy: Row, drawn: float, keen: dict[int, float]) -> list[Row]:
    """The loans of one copy, one after the other, from 2022 until it is withdrawn or kept."""
    loans: list[Row] = []
    copy_id, _, _, fmt, acquired, _, gone = copy
    end = date.fromisoformat(str(gone)) - timedelta(days=80) if gone else LAST_DAY
    out = max(date.fromisoformat(str(acquired)), date(2022, 1, 1))
    out += timedelta(days=between(rng, 1, 70))
    while out <= end:
        renewals = weighted(rng, {0: 70.0, 1: 19.0, 2: 8.0, 3: 3.0})
        due = out + timedelta(days=(14 if fmt == "A" else 28) + 14 * renewals)
        late = between(rng, 1, 40) if chance(rng, 0.13) else -between(rng, 0, 13)
        back = due + timedelta(days=late)
        returned = None if chance(rng, 0.006) or back > LAST_DAY else back
        loans.append((copy_id, weighted(rng, keen), str(out), str(due), iso(returned), renewals))
        if returned is None:
            break
        pause = hump(rng, 4, 75) / drawn * (0.75 if out.month in (6, 7, 11) else 1.0)
        out = back + timedelta(days=1 + int(min(pause, 300)))
    return loans


def _fines(rng: Random, loans: list[Row]) -> list[Row]:
    """Twenty cents a day late, at most eight euros; paid, waived or still open."""
    fines: list[Row] = []
    for loan_id, _, _, _, due_on, back_on, _ in loans:
        back = date.fromisoformat(str(back_on)) if back_on else LAST_DAY
        late = (back - date.fromisoformat(str(due_on))).days
        if late < 3:
            continue
        st = weighted(rng, {"P": 62.0, "W": 13.0, "O": 25.0}) if back_on else "O"
        settled = back + timedelta(days=between(rng, 0, 60))
        if st == "O" or settled > LAST_DAY:
            fines.append((len(fines) + 1, loan_id, min(800, 20 * late), "O", None))
        else:
            fines.append((len(fines) + 1, loan_id, min(800, 20 * late), st, str(settled)))
    return fines


def rows(rng: Random) -> Tables:
    """Every table's rows, parents before children."""
    works, credits, appeal = _catalogue(rng)
    copies = _copies(rng, works, appeal)
    members = _members(rng)
    keen = {int(str(member[0])): (love := rng.random()) * love for member in members}
    drawn: list[Row] = []
    for copy in copies:
        drawn += _loans_of(rng, copy, appeal[int(str(copy[1])) - 1], keen)
    drawn.sort(key=lambda loan: (str(loan[2]), int(str(loan[0]))))
    loans: list[Row] = [(at, *loan) for at, loan in enumerate(drawn, start=1)]
    return {
        "branch": list(BRANCHES),
        "author": [(at, *author[:5]) for at, author in enumerate(AUTHORS, start=1)],
        "work": works,
        "work_author": credits,
        "copy": copies,
        "member": members,
        "loan": loans,
        "fine": _fines(rng, loans),
    }
