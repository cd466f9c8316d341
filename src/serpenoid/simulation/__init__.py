"""From descriptions to a trajectory: the only place that puts robot, command, world and engine together."""
