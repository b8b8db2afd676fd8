"""The admin port, bound to loopback: `/live`, `/ready` and `/metrics` for whoever watches the gateway, and with the
owner's key `/lookups` and the functions' admin API.

routes.py           who may ask for which path; `/live`, `/lookups`, `/schema_cache`
readiness.py        `/ready`: whether this gateway can serve, and what else is to be known of it
metrics_page.py     `/metrics`: the numbers of all workers, of the job queue and of the application
metric_families.py  these numbers in Prometheus' text format
database_state.py   what both ask the database
"""
