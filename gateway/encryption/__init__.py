"""What is kept encrypted: single values, and whole files."""
