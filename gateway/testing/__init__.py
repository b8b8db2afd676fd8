"""An instance of one's own for each test: a database copied from a migrated and seeded template, served on a free port.

A keeper, one process a project, has a Postgres without durability, the template, and the program loaded. It forks an
instance when it is asked, and ends it when whoever asked is gone, however that happened. `client` asks, from Python;
`plugin` is pytest's; `gateway testing start` is for all others.
"""
