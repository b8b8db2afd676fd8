"""The tables API. A read is a straight line, each of its modules entered once:

| | Module | Takes | Gives |
| --- | --- | --- | --- |
| 1 | `endpoint` | a `Request` and who asks | a `Response`: the line itself, each stage timed by its name |
| 2 | `parse.request` | path, query string and headers | `ApiRequest`, with the help of the grammars |
| 3 | `parse.plan_key` | that, and the names in the body | the key of the plan |
| 4 | `planner.prepare` | the key and the schema cache | the plan with its SQL, made once for each key |
| 5 | `transaction` | the plan and the values | one round trip of `gateway.database` |
| 6 | `render` | its result | status, headers, body |

A request that came before byte for byte goes from 1 to 5 at once. Rooms: `parse` knows no schema, `planner` no SQL,
`statements` no request, and `body` reads what a write sends. `tests/gateway/rest/test_line.py` follows a read.
"""
