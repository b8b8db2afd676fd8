"""`python -m functions …` in a checkout: the command of the package `functions_runner`."""

from functions_runner.cli import main

main()
