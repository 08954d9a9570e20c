"""A Hugging Face Hub on loopback, for tests that need the real client libraries."""

from tests.hub.local_hub import LocalHub as LocalHub
