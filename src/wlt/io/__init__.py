"""Graphs from elsewhere: `as_graph` and `as_graphs` for other libraries' objects and graph6 text, `read_graph` for
files, and `node_codes` for the named node attributes that come with them.

No library is imported unless the input needs it: an object of networkx, igraph, scipy or PyG exists only where its
library has been imported already.
"""

from wlt.io.attributes import labels_of, node_codes
from wlt.io.files import read_graph, read_graphs, read_source
from wlt.io.graphs import as_graphs
from wlt.io.objects import as_graph

__all__ = ["as_graph", "as_graphs", "labels_of", "node_codes", "read_graph", "read_graphs", "read_source"]
