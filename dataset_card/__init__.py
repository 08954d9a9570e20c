"""What a published dataset repository carries besides data; installed as `claimdb_card`."""
