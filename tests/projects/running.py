"""`gateway` in a project's folder: the real process, and commands beside it."""

from __future__ import annotations

import queue
import re
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path

from tests.fixtures.server import READY_LIMIT, STOP_LIMIT, environment


def variables(**extra: str) -> dict[str, str]:
    """The environment of a command in a project: nothing of the developer's own settings."""
    given = environment("", Path("unused"), extra)
    del given["GATEWAY_DATA_DIR"], given["DATABASE_URL"]
    return given


def command(folder: Path, *arguments: str, input: str | None = None, **extra: str) -> subprocess.CompletedProcess[str]:
    """Run a `gateway …` command in a folder."""
    return subprocess.run(
        [sys.executable, "-m", "gateway", *arguments],
        cwd=folder,
        env=variables(**extra),
        input=input,
        capture_output=True,
        text=True,
        timeout=120,
    )


@dataclass
class Running:
    """`gateway dev` in a folder."""

    folder: Path
    process: subprocess.Popen[str]
    output: list[str] = field(default_factory=list)

    @property
    def said(self) -> str:
        return "".join(self.output)

    def row(self, name: str) -> str:
        """A row of the banner."""
        found = re.search(rf"^  {name}\s+(\S+)", self.said, re.MULTILINE)
        assert found is not None, self.said
        return found[1]

    @property
    def keys(self) -> dict[str, str]:
        """What `gateway status -o env` prints."""
        lines = command(self.folder, "status", "-o", "env").stdout.splitlines()
        return {name: value.strip('"') for name, _, value in (line.partition("=") for line in lines)}

    def stop(self) -> int:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(STOP_LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise


def start(folder: Path, *arguments: str, **extra: str) -> Running:
    """Start `gateway dev` in a folder and wait for the last row of its banner."""
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "gateway", "dev", *arguments],
        cwd=folder,
        env=variables(**extra),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    running = Running(folder, process)
    lines: queue.Queue[str | None] = queue.Queue()

    def pump() -> None:
        assert process.stdout is not None
        with process.stdout as said:
            for line in said:
                running.output.append(line)
                lines.put(line)
        lines.put(None)

    threading.Thread(target=pump, daemon=True).start()
    while True:
        try:
            line = lines.get(timeout=READY_LIMIT)
        except queue.Empty:
            process.kill()
            raise AssertionError(f"the gateway did not become ready:\n{running.said}") from None
        if line is None:
            raise AssertionError(f"the gateway ended at its start:\n{running.said}")
        if line.startswith("  Variables "):
            return running
