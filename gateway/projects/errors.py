"""What can go wrong with a project; each message is a sentence, or some lines, for whoever runs the command."""

from __future__ import annotations


class ProjectError(Exception):
    """A project that cannot be read or run."""
