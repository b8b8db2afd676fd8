"""What was asked, as it was written: grammars, headers, media types, and the key that a plan is kept by.

Text in, frozen dataclasses of `gateway.rest.types` out; nothing here knows the schema. A new filter operator is a
row in `filters`; what the original says of a text that it refuses comes from `diagnostics`.
"""
