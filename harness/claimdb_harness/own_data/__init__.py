"""Claims and tables of one's own: files that become a list of claims and a SQLite database."""
