"""Pictures of graphs as SVG: where nodes stand, what they look like, and the text of the file."""
