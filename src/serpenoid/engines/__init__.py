"""Engines: the only place where time advances."""
