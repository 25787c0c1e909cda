"""Colour refinement: partitions, WL rounds, quotients and cores."""
