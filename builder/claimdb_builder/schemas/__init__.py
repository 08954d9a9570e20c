"""What a database holds, in words: its tables, BIRD's descriptions of them, and its schema text."""
