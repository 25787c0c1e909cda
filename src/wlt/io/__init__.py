"""Graphs from elsewhere: `as_graph` for other libraries' objects and graph6 text, `read_graph` for files, and
`node_colors` for the named node attributes that come with them.

No library is imported unless the input needs it: an object of networkx, igraph, scipy or PyG exists only where its
library has been imported already.
"""

from wlt.io.attributes import given_colors, node_colors
from wlt.io.files import read_graph, read_graphs, read_source
from wlt.io.objects import as_graph

__all__ = ["as_graph", "given_colors", "node_colors", "read_graph", "read_graphs", "read_source"]
