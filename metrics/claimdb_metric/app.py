"""A page that scores the verdicts in a table: the metric as a Hugging Face Space.

On a Space this file lies beside `claimdb_metric.py` and no package is installed: everything of
ours is reached through the module that `evaluate` loads from there.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from itertools import compress
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import gradio as gr

_INTRODUCTION: Final = """\
# ClaimDB metric

Scores verdicts on claims about databases: how many are right, and whether a system says
*not enough information* when it should.

[The benchmark](https://claimdb.github.io) · [arXiv 2601.14698](https://arxiv.org/abs/2601.14698)
"""

_HELP: Final = """\
One row for each claim. A label is a name or its number: {labels}. Any other prediction, a blank
one too, is an invalid answer: wrong, and counted. Only a claim whose label is {nei} has a category,
and that may be left out: {categories}. Blank rows are ignored.
"""

_ARGUMENTS: Final = {
    "prediction": "predictions",
    "reference": "references",
    "category": "categories",
}
"""The columns of the table, and what compute() calls them."""

_HEADLINE: Final = {
    "accuracy": "right answers",
    "macro_f1": "mean of the three F1",
    "f1_entailed": "F1 of E",
    "f1_contradicted": "F1 of C",
    "f1_not_enough_info": "F1 of NEI",
    "invalid_rate": "answer is no label",
    "abstention_rate": "answer is NEI",
    "over_abstention": "E, C answered NEI",
    "forced_answer": "NEI answered E, C",
    "nei_recall_out_of_schema": "answered NEI",
    "nei_recall_subjective": "answered NEI",
    "nei_recall_counterfactual": "answered NEI",
}
"""The numbers of the first table, and what each says; all others are in the complete result."""

Rows = list[list[object]]


def build() -> gr.Blocks:
    """Return the page, ready to launch; nothing here needs the network."""
    import evaluate
    import gradio as gr

    metric = evaluate.load(str(Path(__file__).with_name("claimdb_metric.py")))
    # The sibling that `evaluate` copied along with the module.
    names = import_module(".labels", type(metric).__module__.rpartition(".")[0])

    def score(table: Any) -> tuple[Rows, Rows, str, dict[str, object]]:
        """Return the headline numbers, the confusion table, the signature, the complete result."""
        try:
            result = metric.compute(**arguments_of(table.to_dict("list")))
        except ValueError as error:
            raise gr.Error(str(error), print_exception=False) from error
        counts = confusion(result, names.LABELS)
        return headline(result), counts, result["signature"], result

    with gr.Blocks(title="ClaimDB metric", analytics_enabled=False) as page:
        gr.Markdown(_INTRODUCTION)
        with gr.Row():
            with gr.Column(scale=5):
                table = _input_table(names)
                button = gr.Button("Score", variant="primary")
            with gr.Column(scale=6):
                results = _result_tables(names.LABELS)
        results += [gr.Textbox(label="Signature"), gr.JSON(label="Complete result")]
        button.click(score, table, results, api_name="score")
        # So that a visitor sees at once what comes out.
        page.load(score, table, results, api_visibility="private")
    return page


def arguments_of(table: Mapping[str, Iterable[object]]) -> dict[str, list[object]]:
    """Return what the metric's compute() takes, without rows and categories that are all blank.

    Columns are found by name: a file that is dropped onto the table brings its own order.

    Raises:
        ValueError: the table has no predictions or no references.

    >>> arguments_of({"reference": ["1", 0, ""], "prediction": ["ENTAILED", "", None]})
    {'predictions': ['ENTAILED', None], 'references': [1, 0]}
    """
    given = {
        argument: list(map(value_of, table[name]))
        for name, argument in _ARGUMENTS.items()
        if name in table
    }
    if not {"predictions", "references"} <= given.keys():
        raise ValueError(f"the table needs the columns prediction and reference, not {list(table)}")
    kept = [any(value is not None for value in row) for row in zip(*given.values(), strict=True)]
    columns = {name: list(compress(values, kept)) for name, values in given.items()}
    if all(category is None for category in columns.get("categories", [])):
        columns.pop("categories", None)
    return columns


def value_of(cell: object) -> object:
    """Return the label or category in a cell: None if it is blank, an int for one in digits.

    Blanks around a name are not seen in a table, and come with it when it is pasted.

    >>> [value_of(cell) for cell in (" ", float("nan"), "-1", 2, "ENTAILED ", "entailed")]
    [None, None, -1, 2, 'ENTAILED', 'entailed']
    """
    if isinstance(cell, float) and isnan(cell):
        return None
    if not isinstance(cell, str):
        return cell
    text = cell.strip()
    if text in {"-1", "0", "1", "2"}:
        return int(text)
    return text or None


def rows_of(text: str) -> dict[str, list[Any]]:
    """Return pasted lines as a table; columns are parted by tabs, or by commas if there are none.

    >>> rows_of("reference,prediction\\n1,0")
    {'headers': ['reference', 'prediction'], 'data': [['1', '0']]}
    >>> rows_of("ENTAILED\\t1\\n2\\t2\\tSUBJECTIVE")["data"]
    [['ENTAILED', '1', ''], ['2', '2', 'SUBJECTIVE']]
    """
    delimiter = "\t" if "\t" in text else ","
    rows = list(csv.reader(text.splitlines(), delimiter=delimiter, skipinitialspace=True))
    headers = list(_ARGUMENTS)
    if rows and "prediction" in rows[0]:
        headers = rows.pop(0)
    blank = [""] * len(headers)
    return {"headers": headers, "data": [[*row, *blank][: len(headers)] for row in rows]}


def headline(result: Mapping[str, Any]) -> Rows:
    """Return a row for each headline number: name, value, 95 % interval, what it says."""
    return [
        [name, _number(result[name]), _interval(result[f"{name}_ci"]), meaning]
        for name, meaning in _HEADLINE.items()
    ]


def confusion(result: Mapping[str, Any], labels: Sequence[str]) -> Rows:
    """Return a row of counts for each label, its name in front."""
    return [[label, *row] for label, row in zip(labels, result["confusion"], strict=True)]


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _interval(ends: Sequence[float] | None) -> str:
    return "–" if ends is None else " to ".join(map(_number, ends))


def _input_table(names: Any) -> gr.Dataframe:
    """Return the table that a visitor fills in, with a few rows to start from."""
    import gradio as gr

    entailed, contradicted, nei = names.LABELS
    examples = [
        [entailed, entailed, ""],
        [contradicted, contradicted, ""],
        [entailed, contradicted, ""],
        [nei, entailed, ""],
        [nei, nei, names.CATEGORIES[0]],
        [contradicted, nei, names.CATEGORIES[1]],
        ["I cannot tell", nei, names.CATEGORIES[2]],
    ]
    table = gr.Dataframe(
        examples,
        headers=list(_ARGUMENTS),
        label="Predictions and references: edit the cells, or drop a CSV file here",
        interactive=True,
        show_row_numbers=True,
    )
    # A cell of gradio's table takes no more than one pasted value.
    pasted = gr.Textbox(
        label="Or paste rows, from a spreadsheet or as CSV",
        placeholder=", ".join(_ARGUMENTS),
        lines=2,
        max_lines=4,
    )
    # Not input(), which a paste does not fire.
    pasted.change(rows_of, pasted, table, api_visibility="private")
    numbered = ", ".join(f"{name} ({code})" for code, name in enumerate(names.LABELS))
    categories = ", ".join(names.CATEGORIES)
    gr.Markdown(_HELP.format(labels=numbered, nei=nei, categories=categories))
    return table


def _result_tables(labels: Sequence[str]) -> list[gr.Component]:
    import gradio as gr

    return [
        gr.Dataframe(
            headers=["score", "value", "95 % interval", "meaning"],
            label="Headline numbers (E, C, NEI: the three labels)",
            interactive=False,
        ),
        gr.Dataframe(
            headers=["label ↓ answer →", *labels, "invalid"],
            label="Confusion: claims by label (rows) and answer (columns)",
            interactive=False,
        ),
    ]


def main() -> None:
    """Serve the page until the process ends."""
    import gradio as gr

    # Not the bold fonts that gradio 6 ships: most letters are missing in them.
    fonts = {"font": ["system-ui", "sans-serif"], "font_mono": ["ui-monospace", "monospace"]}
    build().launch(theme=gr.themes.Default(**fonts))


if __name__ == "__main__":
    main()
