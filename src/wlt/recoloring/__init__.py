"""What recoloring does: every outcome of random draws, and a choice that no node name enters."""
