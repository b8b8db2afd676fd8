"""The tables contract as data, run against a live gateway or, with `--base-url`, a reference server."""
