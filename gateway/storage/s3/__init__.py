"""The S3 protocol (`/storage/v1/s3`): the same buckets and objects, for the tools that speak it.

`signature`, `chunks`, `xml` and `policy` are pure; `access` finds out who asks; the operations (`buckets`, `objects`,
`listing`, `multipart`, `form`) are listed in `routes`; `service` answers.
"""
