"""Who is asking: keys, tokens, and the role and claims they stand for."""
