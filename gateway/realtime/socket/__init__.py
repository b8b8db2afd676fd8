"""A connection: websocket frames, the messages in both serialisations, and a bounded way out."""
