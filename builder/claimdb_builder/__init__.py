"""Makes benchmarks: `publish` puts one on the Hugging Face Hub."""
