"""What runs show beside their score: calls, errors, evidence, cost."""
