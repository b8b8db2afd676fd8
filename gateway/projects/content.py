"""What a project brings. What reads it is loaded where there is a project."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gateway.projects.folder import Project

if TYPE_CHECKING:
    from gateway.projects.config import ProjectConfig


@dataclass(frozen=True, slots=True)
class Content:
    """What a project brings: its folder, and what its config.toml says of it."""

    project: Project
    config: ProjectConfig
    until: str | None = None  # the last version to apply
