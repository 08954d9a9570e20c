"""The contract of stages, and what runs them: run folders, executors, counts."""
