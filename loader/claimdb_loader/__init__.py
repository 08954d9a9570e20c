"""What stands behind `import claimdb`: claims files, their sources, databases, registration."""
