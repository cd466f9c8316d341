"""The former spatial engine, until its callers have moved to `spatial.engine`."""
