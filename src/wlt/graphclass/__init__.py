"""Which classes a graph is in: how far the tests can be trusted with it."""
