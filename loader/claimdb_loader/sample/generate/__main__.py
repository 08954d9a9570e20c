"""`python -m claimdb_loader.sample.generate [--out DIR]`: write the three packed databases."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from claimdb_loader.sample.generate.build import SOURCES, build, pack


def main() -> None:
    """Write `<db>.sqlite.xz` for every database and print what went in."""
    parser = argparse.ArgumentParser(prog="claimdb_loader.sample.generate", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path(__file__).parents[1], metavar="DIR")
    out: Path = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    sys.stdout.write(f"{'database':<14}{'tables':>8}{'rows':>8}{'packed bytes':>14}\n")
    with tempfile.TemporaryDirectory() as folder:
        for db_name in SOURCES:
            path = Path(folder) / f"{db_name}.sqlite"
            counts = build(db_name, path)
            size = pack(path, out / f"{db_name}.sqlite.xz")
            size_row = f"{db_name:<14}{len(counts):>8}{sum(counts.values()):>8}{size:>14}\n"
            sys.stdout.write(size_row)


if __name__ == "__main__":
    main()
