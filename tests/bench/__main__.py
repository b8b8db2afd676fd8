"""`make bench`: prints the figures of one run."""

from tests.bench import functions, signins, tables

tables.main()
functions.main()
signins.main()
