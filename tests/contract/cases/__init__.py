"""Cases by topic; every module has `CASES`."""
