"""From a benchmark on this disk to a dataset repository: rows, databases, and a card of numbers.

`tree` writes the files, `dataset_push` sends them in one commit, `metric_space` sends the metric.
"""
