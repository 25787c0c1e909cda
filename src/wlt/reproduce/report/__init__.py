"""Reports: tables, figures and a page, pure functions of stored runs. Nothing here trains."""
