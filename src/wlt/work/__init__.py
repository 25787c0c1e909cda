"""Work that can be done elsewhere: calls of functions, in this process, in others, or on a Ray cluster."""
