"""A solar cooperative in an invented mountain valley: sites, yields and visits, 2023 and 2024."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random

from claimdb_loader.sample.generate.draw import (
    Row,
    Tables,
    between,
    chance,
    clock,
    day_in,
    days,
    hump,
    pick,
    weighted,
)

SCHEMA = """
CREATE TABLE member (
    member_id INTEGER PRIMARY KEY, full_name TEXT NOT NULL, village TEXT NOT NULL,
    joined_on TEXT NOT NULL, left_on TEXT, shares INTEGER NOT NULL
);
CREATE TABLE site (
    site_id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, village TEXT NOT NULL,
    alt_m INTEGER NOT NULL, roof TEXT NOT NULL, live_on TEXT NOT NULL,
    host_id INTEGER REFERENCES member (member_id)
);
CREATE TABLE inverter (
    inverter_id INTEGER PRIMARY KEY,
    site_id INTEGER NOT NULL REFERENCES site (site_id),
    maker TEXT NOT NULL, rated_kw REAL NOT NULL, fitted_on TEXT NOT NULL, removed_on TEXT
);
CREATE TABLE pv_array (
    array_id INTEGER PRIMARY KEY,
    site_id INTEGER NOT NULL REFERENCES site (site_id),
    az INTEGER NOT NULL, tilt INTEGER NOT NULL, kwp REAL NOT NULL, cell TEXT NOT NULL
);
CREATE TABLE daily_yield (
    array_id INTEGER NOT NULL REFERENCES pv_array (array_id),
    day TEXT NOT NULL, kwh REAL, q TEXT NOT NULL,
    PRIMARY KEY (array_id, day)
) WITHOUT ROWID;
CREATE TABLE technician (
    tech_id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, firm TEXT
);
CREATE TABLE service_visit (
    visit_id INTEGER PRIMARY KEY,
    site_id INTEGER NOT NULL REFERENCES site (site_id),
    inverter_id INTEGER REFERENCES inverter (inverter_id),
    tech_id INTEGER NOT NULL REFERENCES technician (tech_id),
    visited_on TEXT NOT NULL, t_in TEXT NOT NULL, t_out TEXT, why TEXT NOT NULL, cost_eur REAL
);
CREATE TABLE payout (
    member_id INTEGER NOT NULL REFERENCES member (member_id),
    yr INTEGER NOT NULL, eur REAL NOT NULL, paid_on TEXT,
    PRIMARY KEY (member_id, yr)
);
"""

# name, village, altitude, roof, first day, arrays (azimuth, tilt, kWp, cell), quality of the place
# fmt: off
SITES: list[tuple[str, str, int, str, str, list[tuple[int, int, float, str]], float]] = [
    ("École du Mélèze", "Haut-Vernay", 1180, "pitched", "2019-05-14",
     [(180, 35, 24.6, "mono"), (90, 35, 12.3, "mono")], 1.04),
    ("Fromagerie Combaz", "Haut-Vernay", 1205, "pitched", "2020-09-01",
     [(200, 30, 31.2, "mono")], 1.07),
    ("Piscine de l'Étang", "Pré-Châtel", 640, "flat", "2018-06-20",
     [(135, 10, 40.8, "poly"), (225, 10, 40.8, "poly"), (180, 15, 18.4, "poly")], 0.92),
    ("Gîte Sous-la-Forêt", "Pré-Châtel", 705, "pitched", "2021-04-10",
     [(160, 40, 9.8, "mono")], 0.71),
    ("Schulhaus Müliberg", "Müliberg", 870, "flat", "2017-10-02",
     [(180, 20, 28.0, "poly"), (180, 20, 28.0, "poly")], 0.97),
    ("Sägerei Züllig", "Müliberg", 845, "pitched", "2019-03-18",
     [(190, 25, 62.4, "mono"), (10, 25, 22.1, "mono")], 1.0),
    ("Kulm-Bergstation", "Müliberg", 1920, "facade", "2022-07-29",
     [(180, 90, 16.5, "mono"), (230, 90, 8.2, "mono")], 1.1),
    ("Stalla Plaun Grond", "Val Sursina", 1410, "pitched", "2020-05-05",
     [(170, 45, 36.9, "mono"), (260, 45, 14.8, "mono")], 1.09),
    ("Biblioteca Rossèra", "Ca' d'Órsola", 410, "flat", "2018-11-11",
     [(180, 15, 20.5, "poly"), (90, 12, 7.7, "thin")], 0.95),
    ("Cantina Órsola Vecchia", "Ca' d'Órsola", 395, "pitched", "2023-03-01",
     [(150, 22, 45.1, "mono"), (240, 22, 19.7, "mono")], 1.0),
    ("Halle Gießbach", "Gießbach", 560, "flat", "2023-08-16",
     [(180, 10, 88.2, "mono"), (180, 10, 44.1, "thin")], 0.94),
    ("Pumpwerk Ölmatt", "Gießbach", 535, "ground", "2016-04-25",
     [(180, 30, 15.3, "poly"), (180, 30, 15.3, "poly")], 0.88),
]

# site_id, maker, rated kW, fitted, removed
INVERTERS: list[tuple[int, str, float, str, str | None]] = [
    (1, "Volthaus", 33.0, "2019-05-14", None), (2, "Heliora", 27.0, "2020-09-01", None),
    (3, "Sunträger", 50.0, "2018-06-20", "2023-05-22"), (3, "Volthaus", 50.0, "2023-05-23", None),
    (3, "Sunträger", 40.0, "2018-06-20", None), (4, "Heliora", 8.0, "2021-04-10", None),
    (5, "Sunträger", 50.0, "2017-10-02", None), (6, "Volthaus", 75.0, "2019-03-18", None),
    (7, "Heliora", 20.0, "2022-07-29", None), (8, "Volthaus", 45.0, "2020-05-05", None),
    (9, "Sunträger", 25.0, "2018-11-11", "2024-02-12"), (9, "Heliora", 25.0, "2024-02-13", None),
    (10, "Volthaus", 55.0, "2023-03-01", None), (11, "Volthaus", 60.0, "2023-08-16", None),
    (11, "Heliora", 60.0, "2023-08-16", None), (12, "Sunträger", 27.0, "2016-04-25", None),
]

TECHNICIANS: list[tuple[int, str, str | None]] = [
    (1, "Maëlle Tissot-Daguet", "Électrons SA"),
    (2, "Urs Bänziger", "Stromkreis"),
    (3, "Reto Caflisch-Brün", "Stromkreis"),
    (4, "Giulia Pedrazzòli", "Luce Lavori"),
    (5, "Łukasz Wójtowicz", "Stromkreis"),
    (6, "Odile Rey-Mermet", None),
]
# who comes to which site first
ROTA = {1: 1, 2: 1, 3: 1, 4: 6, 5: 2, 6: 3, 7: 2, 8: 3, 9: 4, 10: 4, 11: 5, 12: 5}

SOUTH = (1.15, 1.9, 3.0, 4.1, 4.6, 5.1, 5.4, 4.8, 3.6, 2.4, 1.3, 0.95)
STEEP = (2.3, 2.9, 3.3, 3.2, 2.7, 2.5, 2.7, 3.0, 3.2, 2.9, 2.3, 2.1)
GIVEN = [
    "Anaïs", "Beat", "Céline", "Dario", "Élodie", "Flurin", "Gaëtan", "Heidi", "Ilaria", "Jürg",
    "Köbi", "Ladina", "Mathéo", "Noëmi", "Orsolya", "Paulette", "Ruedi", "Seraina", "Théo", "Zita",
]
FAMILY = [
    "Aebischer", "Bonvin-Rey", "Camenzind", "Dürrenmatter", "Évéquoz", "Fässler", "Giacometto",
    "Hürlimann", "Imobersteg", "Jaquérod", "Kälin", "Lüönd", "Martinòli", "Nägeli", "Pfäffli",
    "Rüegsegger", "Schönbächler", "Tschümperlin", "Vuichard", "Zgraggen",
]
VILLAGES = {
    "Müliberg": 30.0, "Haut-Vernay": 24.0, "Pré-Châtel": 19.0, "Gießbach": 13.0,
    "Ca' d'Órsola": 9.0, "Val Sursina": 5.0,
}
# fmt: on
FIRST, LAST = date(2023, 1, 1), date(2024, 12, 31)


def _members(rng: Random) -> list[Row]:
    """The shareholders, some of whom have left."""
    members: list[Row] = []
    for member_id in range(1, 241):
        joined = day_in(rng, date(2016, 1, 15), date(2024, 6, 30))
        gone = day_in(rng, joined + timedelta(days=90), LAST) if chance(rng, 0.12) else None
        shares = weighted(rng, {1: 38.0, 2: 24.0, 5: 21.0, 10: 11.0, 25: 4.0, 40: 2.0})
        name, village = f"{pick(rng, GIVEN)} {pick(rng, FAMILY)}", weighted(rng, VILLAGES)
        left_on = gone.isoformat() if gone else None
        members.append((member_id, name, village, joined.isoformat(), left_on, shares))
    return members


def _payouts(rng: Random, members: list[Row]) -> list[Row]:
    """Each year's dividend for whoever was a member at its end; a few are still unpaid."""
    payouts: list[Row] = []
    for member_id, _, _, joined, left, shares in members:
        for yr, per_share in ((2022, 14.2), (2023, 17.85), (2024, 16.4)):
            end = f"{yr}-12-31"
            if str(joined) > end or (left is not None and str(left) <= end):
                continue
            day = day_in(rng, date(yr + 1, 3, 1), date(yr + 1, 5, 15))
            paid = None if chance(rng, 0.05) else day.isoformat()
            eur = round(per_share * int(str(shares)), 2)
            payouts.append((member_id, yr, eur, paid))
    return payouts


def _outages(rng: Random) -> set[tuple[int, str]]:
    """The days on which a site's logger was silent."""
    silent: set[tuple[int, str]] = set()
    for site_id in range(1, len(SITES) + 1):
        for _ in range({4: 9, 12: 7, 7: 5}.get(site_id, 2)):
            start = day_in(rng, FIRST, LAST)
            length = timedelta(days=between(rng, 0, 8))
            silent |= {(site_id, day.isoformat()) for day in days(start, min(start + length, LAST))}
    return silent


def _yields(rng: Random) -> list[Row]:
    """Kilowatt-hours per array and day: one sky over the valley, each array under its own angle."""
    silent = _outages(rng)
    sky = {day: weighted(rng, {1.25: 45.0, 0.9: 30.0, 0.4: 25.0}) for day in days(FIRST, LAST)}
    table: list[Row] = []
    for site_id, (_, _, _, _, live_on, arrays, place) in enumerate(SITES, start=1):
        for az, tilt, kwp, cell in arrays:
            array_id = 1 if not table else int(str(table[-1][0])) + 1
            facing = (1 - abs(az - 180) / 360) * {"thin": 0.9, "poly": 0.96}.get(cell, 1.0) * place
            for day in days(max(FIRST, date.fromisoformat(live_on)), LAST):
                month = (STEEP if tilt == 90 else SOUTH)[day.month - 1]
                failing = site_id == 3 and "2023-03-20" < day.isoformat() < "2023-05-22"
                weak = 0.55 if failing else 1.0
                kwh = round(kwp * month * sky[day] * facing * weak * hump(rng, 0.75, 1.2), 1)
                logged = (site_id, day.isoformat()) not in silent
                q = ("E" if chance(rng, 0.015) else "M") if logged else "G"
                table.append((array_id, day.isoformat(), kwh if logged else None, q))
    return table


def _visits(rng: Random) -> list[Row]:
    """Service visits in order of day; the bills of some are not in yet."""
    drawn: list[Row] = []
    for site_id, (_, _, alt_m, _, live_on, _, _) in enumerate(SITES, start=1):
        for _ in range({3: 34, 12: 27, 7: 21}.get(site_id, between(rng, 10, 16))):
            day = day_in(rng, max(FIRST, date.fromisoformat(live_on)), LAST)
            fitted = [
                at
                for at, (place, _, _, on, off) in enumerate(INVERTERS, start=1)
                if place == site_id and on <= day.isoformat() <= (off or "9999")
            ]
            frosty = alt_m > 1000 and day.month in (1, 2, 3, 12)
            snow = 60.0 if frosty else 0.0
            why = weighted(rng, {"clean": 30.0, "fault": 34.0, "check": 24.0, "snow": snow})
            tech = ROTA[site_id] if chance(rng, 0.8) else between(rng, 1, len(TECHNICIANS))
            start = between(rng, 26, 62) * 15
            length = int(hump(rng, 20, 150) * (1.7 if why == "fault" else 1)) // 5 * 5
            bill = 5 * int(hump(rng, 12, 40) + length * 0.17 + alt_m * 0.01)
            cost = None if chance(rng, 0.09) else bill
            inverter = pick(rng, fitted) if why in ("fault", "check") and fitted else None
            t_out = clock(start + length) if chance(rng, 0.96) else None
            drawn.append((site_id, inverter, tech, day.isoformat(), clock(start), t_out, why, cost))
    drawn.sort(key=lambda visit: (str(visit[3]), str(visit[4]), int(str(visit[0]))))
    return [(at, *visit) for at, visit in enumerate(drawn, start=1)]


def rows(rng: Random) -> Tables:
    """Every table's rows, parents before children."""
    members = _members(rng)
    sites: list[Row] = []
    arrays: list[Row] = []
    for site_id, (name, village, alt_m, roof, live_on, panels, _) in enumerate(SITES, start=1):
        host = None if roof in ("flat", "ground") else between(rng, 1, len(members))
        sites.append((site_id, name, village, alt_m, roof, live_on, host))
        arrays += [(len(arrays) + at, site_id, *panel) for at, panel in enumerate(panels, start=1)]
    return {
        "member": members,
        "site": sites,
        "inverter": [(at, *inverter) for at, inverter in enumerate(INVERTERS, start=1)],
        "pv_array": arrays,
        "daily_yield": _yields(rng),
        "technician": list(TECHNICIANS),
        "service_visit": _visits(rng),
        "payout": _payouts(rng, members),
    }
