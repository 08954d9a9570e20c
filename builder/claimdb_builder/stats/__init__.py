"""How large databases are, and how much of them a claim has to be checked against."""
