"""The storage API (`/storage/v1`): buckets and objects as rows that policies decide about, their bytes in a blob store.

From the bottom: `errors`, `names`, `validate` are pure; `blobs` keeps bytes; `core` asks Postgres; `upload` and
`download` join the two; the handlers (`buckets`, `objects`, `listing`, `signed`) are listed in `routes`, and `service`
is the ASGI application.
"""
