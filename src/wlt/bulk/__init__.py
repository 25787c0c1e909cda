"""Keys of millions of graphs, with little memory, on one machine or on a cluster."""
