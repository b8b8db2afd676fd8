"""A project moves in or out: a dump is read as a stream, what is the platform's own is left out, the rest is loaded.

`dump_text` divides a dump into statements, `rules` decides which of them are the project's, `source` makes dumps,
`load` has psql run what is left in one transaction, `contents` says what a database has and counts it, `objects` moves
the files of storage.
"""
