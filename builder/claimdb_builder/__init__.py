"""Makes benchmarks: `pipeline` and `stages` build one, `stats` counts, `publish` sends it."""
