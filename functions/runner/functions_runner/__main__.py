"""`python -m functions_runner list | serve NAME | call NAME < body.json | …`"""

from functions_runner.cli import main

main()
