"""Plans as SQL, of fragments (`gateway.database.sql`): `page` puts together what `read`, `write` and `call` make."""
