"""Settings: `Settings.load()` reads them all; a row stands in the module of its subject."""

from gateway.settings.load import FAMILIES, Settings, config_file, describe, variables
from gateway.settings.rows import Seconds, SettingsError, parse_duration

__all__ = ("FAMILIES", "Seconds", "Settings", "SettingsError", "config_file", "describe", "parse_duration", "variables")
