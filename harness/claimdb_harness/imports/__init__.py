"""Other people's runs as runs of ours."""
