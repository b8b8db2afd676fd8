"""Benchmarks: processor time a request, side by side in one run, told as ratios.

Never part of the tests. Samples of the things compared are interleaved, and each ratio is the median over adjacent
pairs, because the absolute figures of a small shared machine move by half from minute to minute.
"""
