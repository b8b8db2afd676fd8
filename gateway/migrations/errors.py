"""What can go wrong with migrations and sample rows; each message is a sentence for whoever runs the command.

SchemaError
  FolderError        a file name without a number, or one number used twice
  MigrationEdited    an applied file differs from what was applied
  DatabaseNewer      the database has migrations that this program or project does not know
  ApplicationMissing the database has an application's migrations, and the program was started without it
  MigrationFailed    the database refused a statement; nothing of that file remains
  SeedUnknown        no such set of sample rows
  SeedFailed         the database refused a sample row; nothing of that set remains
"""

from __future__ import annotations

from collections.abc import Sequence


class SchemaError(Exception):
    """Root of these errors."""


class FolderError(SchemaError):
    """A folder of migrations is wrong in itself."""


class MigrationEdited(SchemaError):
    """An applied migration was edited afterwards."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name} was changed after it was applied to this database."
            " Put its text back and write the change as a new migration."
        )
        self.name = name


class DatabaseNewer(SchemaError):
    """The database was made by a newer version."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(
            f"This database was made by a newer version: it has {', '.join(names)}, which this version"
            " does not know. Install that version, or restore a backup made with this one."
        )
        self.names = tuple(names)


class ApplicationMissing(SchemaError):
    """The platform alone would be brought to a new version, and the application on it left behind."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(
            f"This database has an application's migrations ({names[-1]} and {len(names) - 1} others), and there is no"
            " application here. Start the program in its folder, or name the folder of its schema: GATEWAY_SCHEMA_DIR."
        )
        self.names = tuple(names)


class MigrationFailed(SchemaError):
    """One migration failed and was rolled back; those before it stay applied."""

    def __init__(self, name: str, cause: Exception) -> None:
        super().__init__(f"{name} failed and was rolled back: {cause}")
        self.name = name


class SeedUnknown(SchemaError):
    """The named set of sample rows does not exist."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        there = f"there are: {', '.join(known)}" if known else "this project has none"
        super().__init__(f"There is no seed {name!r}; {there}.")
        self.name = name


class SeedFailed(SchemaError):
    """A set of sample rows failed and was rolled back."""

    def __init__(self, name: str, cause: Exception) -> None:
        super().__init__(f"The seed {name!r} failed and was rolled back: {cause}")
        self.name = name
