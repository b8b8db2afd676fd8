"""The words of a refusal: what PostgREST's own parser would have said of a text that cannot be read.

Nothing here decides what is accepted. The readers (`grammar`, `select`, `filters`, `order`) do, in one pass and in
linear time; only when one of them refused is the original's grammar run over the text, for its message.
"""
