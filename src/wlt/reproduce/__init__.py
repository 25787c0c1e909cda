"""The paper's experiments: its tables as data, jobs, the store of curves, the report."""
