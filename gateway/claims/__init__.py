"""Where the role stands in a token: JSON Path and the grammar before it."""
