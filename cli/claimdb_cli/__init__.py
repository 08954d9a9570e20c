"""The `claimdb` command: one file per verb, no logic."""
