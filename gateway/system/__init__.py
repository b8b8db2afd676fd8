"""The operating system: files, folders, users, processes, ports."""
