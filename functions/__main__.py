"""`python -m functions list | serve NAME | call NAME < body.json | …`."""

from functions.cli import main

main()
