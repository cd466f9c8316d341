"""Rows of the array `touch`, shape (TOUCH_ROWS, n): what a friction law reads and fills for each contact."""

from __future__ import annotations

VT, VN = 0, 1  # velocity along and across the edge, m/s
FT, FN = 2, 3  # force on the robot along and across the edge, N
KTT, KNN, KTN, KNT = 4, 5, 6, 7  # slopes -df/dv, N s/m
XW, YW = 8, 9  # in the plane: place in the world, m
TOUCH_ROWS = 10
LAW_ROWS = 8  # those that laws read and fill; in space there are no others

# how slopes are taken: -df/dv, -f/v, or with the force that the last linearisation predicted (`contact.smoothing`)
TANGENT, SECANT, PREDICTED = 0, 1, 2
