"""Three dimensions: one robot in time on any ground, O(n) in the links."""
