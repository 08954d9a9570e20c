"""The generator of the embedded sample's three databases, one module per database."""
