"""Color refinement and Tinhofer's algorithm to watch: a page that steps through every round."""
