"""Looks after the gateway from a process of its own and tells whoever runs it what is wrong.

checks     look at one thing each: the gateway, its database, its jobs, disk, copies, certificate, keys
alarms     which troubles stand, since when, and which of them somebody has been told of
channels   by mail, by webhook, in the log
run        the loop
"""
