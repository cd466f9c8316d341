"""Files: scenarios in, trajectories in and out. Schemas and bytes only; objects are built in `runs`."""
