"""What the database holds: catalogue queries in, a frozen `SchemaCache` out, followed through every change."""
