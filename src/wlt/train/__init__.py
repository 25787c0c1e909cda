"""Training: one loop, the paper's protocol as data, resumable runs."""
