"""`make test-road`: what needs HAProxy and PgBouncer, from the system's packages."""
