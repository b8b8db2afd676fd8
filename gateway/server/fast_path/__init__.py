"""The fast path: small requests to tables, answered without ASGI.

Why. A read of a table takes the database some tens of microseconds, and a request through ASGI as much again before
anybody looks at it: a scope, two events, a task, two messages, two writes. Here a request is matched as soon as its
head is parsed, becomes a `Request`, passes the same middleware as any other (`Stack.answer`) and is written in one
piece. A request without a body that comes a third time byte for byte is not even parsed again. What it gains is
measured by `python -m tests.bench fast_path`, which `make bench` prints.

What it may not do. It knows no rule of its own: who may ask, what is answered and what is noted come from the stack,
so the answer is that of the plain way to the byte. The contract's cases, the fuzz and the tests of the wire run on both
ways. Whatever it does not take goes the plain way: other services, bodies that are long, chunked or waited for, and
requests behind one that is not answered yet.

How to do without. `GATEWAY_FAST_PATH=false` serves with `gateway.server.protocol.Protocol` alone; no line of this
package runs then.
"""

from gateway.server.fast_path.matcher import FastPath

__all__ = ["FastPath"]
