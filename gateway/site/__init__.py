"""The built site: its files, its pages rendered by functions, its public address."""
