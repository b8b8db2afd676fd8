"""`make test-ha`: what needs HAProxy and PgBouncer, from the system's packages."""
