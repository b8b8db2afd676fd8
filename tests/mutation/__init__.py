"""Mutation testing: `make mutants`. Each module of the table is broken in many small ways, and its tests must notice.

targets    which module is held by which tests
python     the ways to break a Python module (by Cosmic Ray)
sql        the ways to break a function of the schema
run        breaks a copy of the working tree and asks its tests
"""
