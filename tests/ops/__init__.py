"""The gateway as its operator meets it: life cycle, sight, data, limits, storms."""
