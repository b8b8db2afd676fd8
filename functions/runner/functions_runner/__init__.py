"""Functions: each folder with a `main.py` deploys alone; this package finds, loads and serves them."""
