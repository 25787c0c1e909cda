"""Pictures of graphs of any kind, and of molecules as chemists draw them."""
