"""Touch rows of the former spatial engine."""

from serpenoid.contact.touch import FN, FT, KNN, KNT, KTN, KTT, TOUCH_ROWS, VN, VT

DT, DS = 8, 9

__all__ = ["DS", "DT", "FN", "FT", "KNN", "KNT", "KTN", "KTT", "TOUCH_ROWS", "VN", "VT"]
