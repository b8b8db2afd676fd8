"""`python -m tests.mutation`."""

from tests.mutation.run import main

main()
