"""The stages of a build, one file each, and what each of them needs to know of SQL."""
