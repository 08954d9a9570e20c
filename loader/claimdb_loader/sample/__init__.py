"""The embedded sample: three invented databases with gold questions and claims, for offline use."""
