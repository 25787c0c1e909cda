"""Canonical forms of labelled graphs, their keys, and their automorphisms."""
