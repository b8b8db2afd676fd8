"""Bytes that each client adds to a site: ours and the official one, of the same bundler."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "supabase-compat"
GOAL = 8_000  # bytes, compressed
SCRIPT = """
const { CLIENTS, measure } = await import('./scripts/size.mjs')
const rows = await Promise.all(Object.keys(CLIENTS).map(async (name) => [name, await measure(name)]))
console.log(JSON.stringify(Object.fromEntries(rows)))
"""


def main() -> None:
    """Print the figures."""
    done = subprocess.run(
        ["node", "--input-type=module", "--eval", SCRIPT], cwd=PACKAGE, check=True, capture_output=True, text=True
    )
    print("client, kB       minified    gzip  brotli  brotli, with what is fetched on demand")
    for name, sizes in json.loads(done.stdout).items():
        goal = f"   (at most {GOAL / 1000:.0f} at first)" if name == "supabase-compat" else ""
        figures = [sizes[part] / 1000 for part in ("minified", "gzip", "brotli", "withOnDemand")]
        print(f"  {name:22} {figures[0]:5.1f}   {figures[1]:5.1f}   {figures[2]:5.1f}   {figures[3]:5.1f}{goal}")
