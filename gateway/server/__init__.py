"""The process: listening, the HTTP protocol, supervision, logs."""
