"""What a dataset allows before anyone trains."""
