"""Changes of tables: who listens to them, and what they are told."""
