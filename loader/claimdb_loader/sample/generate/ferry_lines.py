"""The ferry lines of an invented archipelago, 2023 and 2024."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random

from claimdb_loader.sample.generate.draw import (
    Row,
    Tables,
    between,
    chance,
    clock,
    days,
    hump,
    weighted,
)

SCHEMA = """
CREATE TABLE operator (
    operator_id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, founded INTEGER NOT NULL,
    hq TEXT NOT NULL
);
CREATE TABLE port (
    port_id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, island TEXT NOT NULL,
    quay_m INTEGER NOT NULL, depth_m REAL, shore_pw INTEGER NOT NULL CHECK (shore_pw IN (0, 1))
);
CREATE TABLE vessel (
    vessel_id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
    operator_id INTEGER NOT NULL REFERENCES operator (operator_id),
    built INTEGER NOT NULL, prop TEXT NOT NULL, pax_cap INTEGER NOT NULL, car_cap INTEGER,
    retired_on TEXT
);
CREATE TABLE route (
    route_id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE,
    from_port_id INTEGER NOT NULL REFERENCES port (port_id),
    to_port_id INTEGER NOT NULL REFERENCES port (port_id),
    nm REAL NOT NULL, sched_min INTEGER NOT NULL
);
CREATE TABLE fare (
    route_id INTEGER NOT NULL REFERENCES route (route_id),
    cls TEXT NOT NULL, season TEXT NOT NULL, eur REAL,
    PRIMARY KEY (route_id, cls, season)
);
CREATE TABLE sailing (
    sailing_id INTEGER PRIMARY KEY,
    route_id INTEGER NOT NULL REFERENCES route (route_id),
    vessel_id INTEGER NOT NULL REFERENCES vessel (vessel_id),
    sail_date TEXT NOT NULL, dep TEXT NOT NULL, st TEXT NOT NULL,
    delay_min INTEGER, pax INTEGER, cars INTEGER
);
CREATE TABLE incident (
    incident_id INTEGER PRIMARY KEY,
    sailing_id INTEGER NOT NULL REFERENCES sailing (sailing_id),
    kind TEXT NOT NULL, sev INTEGER NOT NULL CHECK (sev BETWEEN 1 AND 4),
    cost_eur INTEGER, closed_on TEXT
);
CREATE INDEX sailing_route ON sailing (route_id);
"""

OPERATORS = [
    (1, "Skärlinjen", 1921, "Kallsund"),
    (2, "Laidu Laevad", 1994, "Kõrgelaid"),
    (3, "Blå Kurs", 2009, "Sørbygd"),
]

PORTS = [
    (1, "Kallsund", "Storvelm", 240, 9.5, 1),
    (2, "Högnäs", "Storvelm", 120, 6.2, 1),
    (3, "Ærvik", "Ærlandet", 95, 5.4, 0),
    (4, "Östermåla", "Måla", 110, 5.8, 1),
    (5, "Trälvik", "Måla", 60, 3.9, 0),
    (6, "Sørbygd", "Sørholm", 180, 8.1, 1),
    (7, "Lummevik", "Lummen", 45, None, 0),
    (8, "Kõrgelaid", "Kõrge", 150, 7.0, 0),
    (9, "Ruunisadam", "Ruuni", 70, 4.3, 0),
    (10, "Żarnica", "Żar", 130, 6.6, 1),
    (11, "Šilupė", "Šila", 85, None, 0),
    (12, "Þorshöfði", "Þorsey", 65, 4.9, 0),
]

VESSELS = [
    (1, "Grålle", 1, 1974, "MGO", 180, 24, "2023-09-30"),
    (2, "Kajsa Lund", 1, 1998, "MGO", 420, 70, None),
    (3, "Vita Ejdern", 1, 2021, "BAT", 300, 48, None),
    (4, "Tuulekera", 2, 2006, "MGO", 360, 62, None),
    (5, "Saarepääsuke", 2, 2016, "HYB", 250, 40, None),
    (6, "Hõbekajakas", 2, 1989, "MGO", 140, None, None),
    (7, "Blåtärna", 3, 2019, "LNG", 460, 84, None),
    (8, "Þerna", 3, 2011, "MGO", 120, None, None),
    (9, "Sølvmåke", 3, 2022, "BAT", 220, 36, None),
    (10, "Žuvėdra", 3, 2003, "MGO", 280, 44, None),
]

# route_id, code, from, to, nautical miles, scheduled minutes
ROUTES = [
    (1, "V1", 1, 6, 14.2, 70),
    (2, "V2", 1, 8, 21.5, 105),
    (3, "V3", 2, 3, 6.3, 35),
    (4, "V4", 4, 1, 9.8, 50),
    (5, "V5", 5, 7, 4.1, 25),
    (6, "V6", 6, 10, 17.6, 85),
    (7, "V7", 8, 9, 7.7, 40),
    (8, "V8", 10, 11, 11.3, 60),
    (9, "V9", 6, 12, 24.9, 125),
    (10, "V10", 3, 7, 8.4, 45),
]

# main vessel, reserve vessel, share of seats filled in an average month, share of
# departures lost to bad weather, departures in minutes after midnight, runs in winter
SERVICE: dict[int, tuple[int, int, float, float, tuple[int, ...], bool]] = {
    1: (7, 2, 0.52, 0.008, (400, 690, 960, 1185), True),
    2: (4, 2, 0.43, 0.020, (435, 885), True),
    3: (3, 1, 0.38, 0.006, (375, 555, 810, 1020), True),
    4: (2, 3, 0.47, 0.010, (420, 720, 1050), True),
    5: (6, 8, 0.29, 0.024, (465, 990), True),
    6: (10, 7, 0.41, 0.018, (510, 945), True),
    7: (5, 6, 0.34, 0.014, (450, 780, 1095), True),
    8: (9, 10, 0.31, 0.022, (540, 975), True),
    9: (10, 7, 0.24, 0.055, (615,), True),
    10: (8, 6, 0.45, 0.030, (600, 840, 1005), False),
}

MONTH_LOAD = (0.62, 0.66, 0.74, 0.85, 1.02, 1.28, 1.72, 1.55, 1.08, 0.86, 0.68, 0.79)
STORM_ODDS = (0.16, 0.13, 0.10, 0.05, 0.02, 0.01, 0.01, 0.02, 0.05, 0.10, 0.15, 0.17)
WINTER = (1, 2, 3, 11, 12)

KINDS = {"berthing": 30.0, "engine": 26.0, "medical": 20.0, "cargo": 9.0, "collision": 3.0}
KIND_COST = {"berthing": 1400, "engine": 5200, "medical": 0, "cargo": 900, "collision": 31000}
ENGINE_PRONE = {1: 4.0, 6: 2.6, 10: 1.7}


def _fares() -> list[Row]:
    """Every route's price per class and season; no price where a class is not carried."""
    table: list[Row] = []
    for route_id, _, _, _, nm, _ in ROUTES:
        carries_cars = VESSELS[SERVICE[route_id][0] - 1][6] is not None
        for cls, base, mile in (
            ("AD", 3.2, 0.62),
            ("CH", 1.5, 0.3),
            ("CR", 11, 1.85),
            ("BK", 2, 0.1),
        ):
            for season, factor in (("H", 1.25), ("L", 1.0)):
                eur = round((base + mile * nm) * factor * 10) / 10
                table.append((route_id, cls, season, eur if cls != "CR" or carries_cars else None))
    return table


def _vessel(rng: Random, route_id: int, day: date) -> tuple[int, int, int | None]:
    """The id, seats and car spaces of the ship that runs a departure."""
    main, reserve, *_ = SERVICE[route_id]
    vessel_id = reserve if chance(rng, 0.07) else main
    if vessel_id == 1 and day.isoformat() > str(VESSELS[0][7]):
        vessel_id = main
    _, _, _, _, _, seats, car_cap, _ = VESSELS[vessel_id - 1]
    return vessel_id, int(str(seats)), None if car_cap is None else int(str(car_cap))


def _outcome(
    rng: Random, route_id: int, vessel: tuple[int, int, int | None], day: date, storm: bool
) -> tuple[str, int | None, int | None, int | None]:
    """Status, delay, passengers and cars of one departure."""
    _, _, load, lost, _, _ = SERVICE[route_id]
    if chance(rng, lost * (14 if storm else 0.35)):
        return "X", None, None, None
    vessel_id, seats, car_cap = vessel
    busy = load * MONTH_LOAD[day.month - 1] * (1.22 if day.weekday() in (4, 6) else 0.95)
    grown = 1.0 if day.year == 2023 else {9: 0.86, 10: 1.31, 3: 1.12}.get(route_id, 1.05)
    pax = min(seats, int(seats * busy * grown * hump(rng, 0.45, 1.55)))
    cars = None if car_cap is None else min(car_cap, int(car_cap * busy * hump(rng, 0.5, 1.5)))
    if chance(rng, 0.004 if storm else 0.0008):
        return "T", None, pax, cars
    slow = {1: 2.2, 4: 1.5, 10: 1.8, 3: 0.5, 9: 0.6}.get(vessel_id, 1.0)
    delay = 0 if chance(rng, 0.55) else int(slow * hump(rng, 1, 17) * (2.4 if storm else 1.0))
    return "D", delay, pax, cars


def _incident(rng: Random, sailing_id: int, vessel_id: int, day: date) -> Row:
    """What went wrong on one sailing; medical cases have no cost and some files stay open."""
    weights = dict(KINDS)
    weights["engine"] *= ENGINE_PRONE.get(vessel_id, 1.0)
    kind = weighted(rng, weights)
    sev = 4 if kind == "collision" else weighted(rng, {1: 50.0, 2: 33.0, 3: 14.0, 4: 3.0})
    base = KIND_COST[kind]
    cost = int(base * sev * hump(rng, 0.2, 1.4) / 10) * 10 if base and chance(rng, 0.86) else None
    closed = day + timedelta(days=between(rng, 2, 25 * sev)) if chance(rng, 0.9) else None
    return sailing_id, kind, sev, cost, closed.isoformat() if closed else None


def rows(rng: Random) -> Tables:
    """Every table's rows, parents before children."""
    sailings: list[Row] = []
    incidents: list[Row] = []
    for day in days(date(2023, 1, 1), date(2024, 12, 31)):
        storm = chance(rng, STORM_ODDS[day.month - 1])
        for route_id, (_, _, _, _, departures, in_winter) in SERVICE.items():
            if day.month in WINTER and not in_winter:
                continue
            for minutes in departures:
                if day.month in WINTER and len(departures) > 2 and minutes == departures[1]:
                    continue
                vessel = _vessel(rng, route_id, day)
                outcome = _outcome(rng, route_id, vessel, day, storm)
                key = len(sailings) + 1
                head = (key, route_id, vessel[0], day.isoformat(), clock(minutes))
                sailings.append((*head, *outcome))
                risk = 0.018 * ENGINE_PRONE.get(vessel[0], 1.0)
                if outcome[0] == "T" or (outcome[0] == "D" and chance(rng, risk)):
                    case = _incident(rng, key, vessel[0], day)
                    incidents.append((len(incidents) + 1, *case))
    return {
        "operator": list(OPERATORS),
        "port": list(PORTS),
        "vessel": list(VESSELS),
        "route": list(ROUTES),
        "fare": _fares(),
        "sailing": sailings,
        "incident": incidents,
    }
