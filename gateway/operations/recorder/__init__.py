"""Recordings: what a site really asked of the API, kept on one gateway and asked again of another."""
