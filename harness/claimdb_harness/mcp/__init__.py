"""What agents get of a database: three tools, over MCP or not, every call traced."""
