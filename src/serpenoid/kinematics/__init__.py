"""Poses and velocities of chains, without forces."""
