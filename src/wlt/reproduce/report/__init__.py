"""Tables, figures and a page from stored runs. Nothing here trains."""
