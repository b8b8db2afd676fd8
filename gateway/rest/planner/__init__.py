"""What will be done: a parsed request and the schema cache make a plan, which has been checked against the schema.

`prepare` is the way in: it makes the plan of a key and has its SQL built.
"""
