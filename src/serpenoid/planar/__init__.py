"""The plane: one robot in time on level ground, O(n) in the links."""
