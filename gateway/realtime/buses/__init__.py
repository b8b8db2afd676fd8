"""Ways between processes: the mesh of one gateway's workers, Postgres, Redis and NATS between gateways."""
