"""Agents that verify claims with SQL, on Inspect; the one room that imports it."""
