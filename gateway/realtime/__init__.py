"""The realtime API: channels of a websocket with broadcasts, presence and changes of tables.

socket/      a connection: websocket frames, both serialisations, its bounded queue
channels/    what happens on a channel: joins, tokens, policies, broadcasts, presence, replay
bus.py       messages between processes; mesh.py, postgres_bus.py, … are its ways
changes/     changes of tables: an interface here, logical decoding behind it
service.py   the service of one worker
"""
