"""Reading predictions files: the format is told from the content, and faults are named."""

from __future__ import annotations

import codecs
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from claimdb_loader.prediction_files import RowFile, read_rows
from tests.loader.prediction_writers import WRITERS, written

ROWS: list[dict[str, Any]] = [
    {"claim_id": 7, "label": "ENTAILED"},
    {"claim_id": 3, "label": "NOT ENOUGH INFO"},
]
LINE = '{"claim_id": 7, "label": "ENTAILED"}'
GOOD = LINE.encode()
FORMATS = dict(zip(WRITERS, ("JSONL", "JSON list", "JSON map", "CSV", "Parquet"), strict=True))


def read(folder: Path, content: bytes | str, name: str = "p.jsonl") -> RowFile:
    return read_rows(written(folder, content, name))


@pytest.mark.parametrize("suffix", ["as named", ".txt", ".jsonl", ""])
@pytest.mark.parametrize("name", WRITERS)
def test_each_format_is_recognised_whatever_its_name(
    tmp_path: Path, name: str, suffix: str
) -> None:
    path = name if suffix == "as named" else f"file{suffix}"
    file = read(tmp_path, WRITERS[name](ROWS), path)
    assert (file.format, file.problems, dict(file.notes)) == (FORMATS[name], (), {})
    labels = [row.values["label"] for row in file.rows]
    assert labels == ["ENTAILED", "NOT ENOUGH INFO"]
    assert [int(row.values["claim_id"]) for row in file.rows] == [7, 3]
    first = 2 if file.format == "CSV" else 1
    assert [row.place for row in file.rows] == [first, first + 1]
    assert file.place_name == ("line" if file.format in ("JSONL", "CSV") else "row")


@pytest.mark.parametrize(
    ("text", "format_name", "n_rows"),
    [
        (LINE, "JSONL", 1),
        (f"\n \n{LINE}", "JSONL", 1),
        (f" [{LINE}]\n", "JSON list", 1),
        ('{\n"7": "ENTAILED",\n"3": 1\n}\n', "JSON map", 2),
        ('{"a": "ENTAILED"}', "JSONL", 1),
        ('{"a": 0, "7": "ENTAILED"}', "JSON map", 2),
        ('{\n"a": "ENTAILED"}', "JSON map", 1),
        ('{"7": "ENTAILED"', "JSON map", 1),
        ('{"a": 1}\n{"a": 2}', "JSONL", 2),
        ("{}", "JSONL", 1),
        ('label;"claim_id"\r\nx;7\r\n', "CSV", 1),
        ("claim_id\tlabel\n7\tx\n", "CSV", 1),
        ("\tclaim_id\n0\t7\n", "CSV", 1),
        ("label\nx\n", "JSONL", 0),
        ("nonsense", "JSONL", 0),
    ],
)
def test_what_a_text_is(tmp_path: Path, text: str, format_name: str, n_rows: int) -> None:
    file = read(tmp_path, text, "file")
    assert (file.format, len(file.rows)) == (format_name, n_rows)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("nonsense", "not JSON (Expecting value at character 1)"),
        ('{"claim_id": 7, "label": "ENT', "not JSON (Unterminated string starting at character 26"),
        ('{"a": "\t"}', "not JSON (Invalid control character at character 8)"),
        (f"{LINE}, ", "not JSON (Extra data at character 37)"),
        (f"{LINE}{LINE}", "not JSON (Extra data at character 37)"),
        ('{"claim_id": 7, "p": NaN}', "not JSON (NaN is no JSON value)"),
        ('{"claim_id": 7, "p": [-Infinity]}', "not JSON (-Infinity is no JSON value)"),
        ('{"claim_id": 7, "p": 1e999}', "number 1e999 is too large"),
        ('{"claim_id": ' + "1" * 5000 + "}", "not JSON (an integer of more than 4,300 digits"),
        ('{"claim_id": 7, "claim_id": 8}', "key 'claim_id' stands twice"),
        ('{"claim_id": 7, "p": {"q": 1, "q": 1}}', "key 'q' stands twice"),
        ('{"claim_id": 7, "p": "\\ud800"}', "holds a lone surrogate"),
        ('{"claim_id": 7, "\\uDFFF": 1}', "holds a lone surrogate"),
        ("[1]", "not a JSON object but list"),
        ('"' + "[" * 101 + '"', "not a JSON object but str"),
        ("null", "not a JSON object but NoneType"),
        ('{"claim_id": 7, "p": ' + "[" * 100 + "]" * 100 + "}", "nested deeper than 100 levels"),
        ("[" * 100_000, "not JSON (nested deeper than 100 levels"),
    ],
)
def test_a_line_that_is_no_strict_json_object_is_a_problem(
    tmp_path: Path, bad: str, reason: str
) -> None:
    file = read(tmp_path, f"{LINE}\n\n{bad}\n{LINE}\n")
    assert [row.place for row in file.rows] == [1, 4]
    (problem,) = file.problems
    assert (problem.kind, problem.place) == ("not-json", 3)
    assert problem.message.startswith(reason)
    assert problem.message.endswith("; mend or remove this line")


def test_a_torn_last_line_is_named_as_such(tmp_path: Path) -> None:
    (problem,) = read(tmp_path, f'{LINE}\n{{"claim_id": 8, "la').problems
    assert problem.place == 2
    assert "the last line has no line break, so the file may be cut short" in problem.message


def test_only_a_line_feed_ends_a_line(tmp_path: Path) -> None:
    odd = "a\u2028b\u2029c\u0085d\x7fe"
    row = {"claim_id": 7, "label": "ENTAILED", "why": odd, "face": "😀"}
    text = json.dumps(row, ensure_ascii=False) + "\r\n" + json.dumps(row) + "\r\n"
    file = read(tmp_path, text)
    assert ([row.values for row in file.rows], file.problems) == ([row, row], ())


def test_nesting_up_to_the_limit_is_read(tmp_path: Path) -> None:
    file = read(tmp_path, '{"claim_id": 7, "p": ' + "[" * 99 + "]" * 99 + "}")
    assert file.problems == ()


@pytest.mark.parametrize(
    ("text", "n_rows", "place", "reason"),
    [
        (f"[{LINE}, {LINE}", 2, 3, "not JSON (Expecting ',' or ']' at line 1, character 76)"),
        (f"[{LINE},\n 5,\n{LINE}]", 2, 2, "not a JSON object but int"),
        (f"[{LINE},\n {{'a'}}]", 1, 2, "not JSON (Expecting property name enclosed in double quot"),
        (f"[{LINE}]\n{LINE}", 1, 2, "not JSON (Extra data at line 2, character 1); nothing after"),
        (f"[{LINE},]", 1, 2, "not JSON (Expecting value at line 1, character 39)"),
        (f'[{{"a": NaN}}, {LINE}]', 1, 1, "not JSON (NaN is no JSON value)"),
        ('{"7": 0, "8": 1', 2, 3, "not JSON (Expecting ',' or '}' at line 1, character 16)"),
        ('{"7": 0, 8: 1}', 1, 2, "not JSON (Expecting a key in double quotes at line 1, charact"),
        ('{"7": 0, "8" 1}', 1, 2, "not JSON (Expecting ':' at line 1, character 14)"),
        ('{"7": 0, "8": NaN, "9": 1}', 2, 2, "not JSON (NaN is no JSON value)"),
    ],
)
def test_faults_inside_a_list_or_map(
    tmp_path: Path, text: str, n_rows: int, place: int, reason: str
) -> None:
    file = read(tmp_path, text)
    assert len(file.rows) == n_rows
    (problem,) = file.problems
    assert (problem.kind, problem.place) == ("not-json", place)
    assert problem.message.startswith(reason)
    assert problem.message.endswith("; mend or remove this row")


def test_a_key_that_stands_twice_in_a_map_is_two_rows(tmp_path: Path) -> None:
    file = read(tmp_path, '{"7": "ENTAILED", "7": "CONTRADICTED"}')
    assert [row.values["claim_id"] for row in file.rows] == ["7", "7"]


@pytest.mark.parametrize(
    ("mark", "codec", "note"),
    [
        (codecs.BOM_UTF8, "utf-8", "was UTF-8 with a byte order mark"),
        (codecs.BOM_UTF16_LE, "utf-16-le", "was UTF-16"),
        (codecs.BOM_UTF16_BE, "utf-16-be", "was UTF-16"),
    ],
)
@pytest.mark.parametrize("name", [name for name in WRITERS if not name.endswith("parquet")])
def test_a_byte_order_mark_is_understood(
    tmp_path: Path, name: str, mark: bytes, codec: str, note: str
) -> None:
    plain = WRITERS[name](ROWS)
    file = read(tmp_path, mark + plain.decode().encode(codec), name)
    assert file.notes == {note: 1}
    assert (file.rows, file.problems) == (read(tmp_path, plain, name).rows, ())


@pytest.mark.parametrize(
    ("content", "line", "byte"),
    [
        (GOOD + b"\n" + b'{"claim_id": 8, "why": "Zo\xeb"}\n' + GOOD, 2, 27),
        (b"\xef\xbb\xbf" + b'{"claim_id": 8, "why": "Zo\xeb"}', 1, 30),
        (codecs.BOM_UTF16_LE + LINE.encode("utf-16-le") + b"\x0a", 1, 75),
        (codecs.BOM_UTF16_BE + f"{LINE}\n".encode("utf-16-be") + b"\xd8\x00\x00\x61", 2, 1),
        (LINE.encode("utf-16-le"), 1, 2),
        (LINE.encode("utf-32"), 1, 1),
    ],
)
def test_other_encodings_are_a_problem_with_its_place(
    tmp_path: Path, content: bytes, line: int, byte: int
) -> None:
    problem = read(tmp_path, content).problems[0]
    assert (problem.kind, problem.place) == ("encoding", line)
    expected = f"wrong encoding: byte {byte} of line {line} is not UTF-8 text; save it as UTF-8"
    assert problem.message == expected


def test_the_rows_beside_a_bad_byte_are_still_read(tmp_path: Path) -> None:
    file = read(tmp_path, GOOD + b'\n{"claim_id": 8, "why": "Zo\xeb"}\n' + GOOD)
    assert [row.place for row in file.rows] == [1, 2, 3]
    assert file.rows[1].values["why"] == "Zo�"
    (in_list,) = read(tmp_path, b'[{"claim_id": 8, "why": "Zo\xeb"}]').problems
    assert in_list.place is None


@pytest.mark.parametrize("content", ["", "\n \r\n", "[]", " [ ] ", "\ufeff", "claim_id,label\n"])
def test_a_file_without_rows_is_a_problem(tmp_path: Path, content: str) -> None:
    (problem,) = read(tmp_path, content).problems
    assert (problem.kind, problem.place) == ("no-rows", None)
    assert problem.message.startswith("no rows")


def test_errors_of_the_system_go_out(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_rows(tmp_path / "absent.jsonl")
    with pytest.raises(IsADirectoryError):
        read_rows(tmp_path)


def test_standard_input_is_read_once() -> None:
    code = (
        "from claimdb_loader.prediction_files import read_rows\n"
        "print(read_rows('/dev/stdin').rows[0].values)"
    )
    command = [sys.executable, "-c", code]
    path = [str(folder) for folder in map(Path, sys.path) if folder.is_dir()]
    done = subprocess.run(
        command, input=GOOD, capture_output=True, check=True, env={"PYTHONPATH": ":".join(path)}
    )
    assert done.stdout.decode() == "{'claim_id': 7, 'label': 'ENTAILED'}\n"
