"""Verification harness: agents and baselines that judge claims."""
