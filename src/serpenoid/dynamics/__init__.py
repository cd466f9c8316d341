"""Equations of motion. `planar`: O(n) kernels; `dense`: the paper's matrices, for reference. Nothing here knows a time step."""
