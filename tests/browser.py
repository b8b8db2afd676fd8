"""Finds a Chromium for the browser tests and installs one where there is none.

Order: CHROMIUM, the PATH, the system's package manager, the test runner's own installer. Fails with a clear message
when none works; browser tests are never skipped. Run as a program it makes sure of one and prints its path.

Most tests run in the headless shell where the machine has one or its package manager gives one: the same engine
without the windows, profiles and menus around it, which take half of the suite's time. What needs those (a saved
profile) asks for the whole browser, and so does a machine without the shell.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

SHELL = "chromium-headless-shell"
NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")

# The Node.js inside the browser's driver wants a library that a bare system lacks; the site's own is there anyway.
NODE = shutil.which("node")
if NODE is not None:
    os.environ.setdefault("PLAYWRIGHT_NODEJS_PATH", NODE)


def find() -> str | None:
    """Path of a Chromium on this machine, or None."""
    given = os.environ.get("CHROMIUM")
    if given:
        return given
    for name in NAMES:
        path = shutil.which(name)
        if path is not None:
            return path
    return _of_the_runner()


def _of_the_runner() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def _install_by_system(package: str) -> bool:
    if shutil.which("apt-get") is None:
        return False
    prefix = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if prefix and shutil.which("sudo") is None:
        return False
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for arguments in (["update", "-qq"], ["install", "-y", "-qq", package]):
        done = subprocess.run([*prefix, "apt-get", *arguments], env=environment, stdout=subprocess.DEVNULL)
        if done.returncode != 0:
            return False
    return True


def _install_by_runner() -> bool:
    done = subprocess.run([sys.executable, "-m", "playwright", "install", "--with-deps", "chromium"])
    return done.returncode == 0


def ensure() -> str:
    """Path of a Chromium, installed if need be. Raises SystemExit with what to do."""
    path = find()
    if path is None and _install_by_system("chromium"):
        path = find()
    if path is None and _install_by_runner():
        path = find()
    if path is None:
        sys.exit(
            "No Chromium was found and none could be installed. Install one with the system's package manager,"
            " or set CHROMIUM to its path."
        )
    return path


def shell() -> str:
    """Path of the headless shell, or of the whole browser where there is no shell. Raises SystemExit as `ensure`."""
    return (None if os.environ.get("CHROMIUM") else shutil.which(SHELL)) or ensure()


if __name__ == "__main__":
    print(f"browser: {ensure()}")
    if shell() == ensure() and not os.environ.get("CHROMIUM"):
        _install_by_system(SHELL)
    print(f"headless: {shell()}")
