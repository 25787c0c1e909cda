"""Two graphs: WL, Tinhofer's algorithm, exact isomorphism, fractional isomorphism."""
