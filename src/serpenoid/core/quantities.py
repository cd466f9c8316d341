"""What a field of a description can hold: for each kind of value its check, its plain form and its JSON schema.

A `Quantity` is the declaration of one field: unit, bounds and a line of meaning. `take` turns what a person gave, in Python or in a
file, into the value that the description keeps, and reports what is wrong with it; `plain` is its inverse for files (numbers,
texts, lists, tables; no NaN or infinity), exact to the last bit. `declare` joins them into descriptions; lists and arrays are in `several`.

| quantity | kept as | plain form |
|---|---|---|
| `Number`, `Whole` | float, int | number; or one of its words, such as "auto" |
| `Angle` | float, in rad | number |
| `Choice`, `Flag`, `Text` | str or int, bool, str | itself |
| `Anything` | what came | itself; for fields without a declaration |

Angles are radians; in files a key that ends in `_deg` gives degrees (see `declare.read`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from serpenoid.spelling import near

Say = Callable[[str, str], None]  # path, what is wrong with it
TURNS = 4.0 * math.pi  # rad: bound of an angle that may be any; degrees given by mistake lie beyond it
INFINITE = "none"  # plain form of a bound that is not there
SHOWN = 60  # characters of a value in a message


def shown(value: Any) -> str:
    """A value in a message: short, and descriptions by the name of their class."""
    if hasattr(value, "__dataclass_fields__"):
        return f"a {type(value).__name__}"
    text = repr(value.item() if isinstance(value, np.generic) else value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}... ({type(value).__name__})"


def brief(value: float) -> str:
    """A number as short as it can be written without a loss."""
    return f"{value:g}" if float(f"{value:g}") == value else repr(float(value))


@dataclass(frozen=True)
class Quantity:
    """A field's declaration; `optional`: None is allowed and means that there is none."""

    meaning: str = ""
    unit: str = ""
    optional: bool = False

    angle = False

    @property
    def allowed(self) -> str:
        """What is allowed, after "must be"."""
        return "given"

    def take(self, value: Any, path: str, say: Say, before: Mapping[str, Any]) -> Any:
        """The value to keep, from what was given; says what is wrong with it. `before`: values of the fields before it."""
        return value

    def take_degrees(self, value: Any, path: str, say: Say, before: Mapping[str, Any]) -> Any:
        """The same from degrees; for angles only."""
        raise NotImplementedError

    def plain(self, value: Any) -> Any:
        """The value as it stands in a file."""
        return value

    def schema(self) -> dict[str, Any]:
        """JSON schema of the plain form."""
        return {}


class Anything(Quantity):
    """A field without a declaration."""


@dataclass(frozen=True)
class Number(Quantity):
    """A finite number within bounds: `low` and `high` are included, `above` and `below` are not."""

    low: float = -math.inf
    high: float = math.inf
    above: float = -math.inf
    below: float = math.inf
    words: tuple[str, ...] = ()  # texts that are allowed instead
    infinite: bool = False  # infinity is allowed: no bound

    @property
    def bounds(self) -> str:
        """The bounds in words; empty without any."""
        parts = [f"{sign} {bound:g}" for sign, bound in (("> ", self.above), (">=", self.low), ("< ", self.below), ("<=", self.high)) if math.isfinite(bound)]  # fmt: skip
        return " and ".join(part.replace("  ", " ") for part in parts)

    @property
    def allowed(self) -> str:
        """What is allowed."""
        words = "".join(f' or "{word}"' for word in self.words)
        number = "a number" if self.infinite else "finite"
        return number + (f" and {self.bounds}" if self.bounds else "") + (f" {self.unit}" if self.unit else "") + words

    def fits(self, x: float) -> bool:
        """Whether a number is within the bounds."""
        if not math.isfinite(x):
            return self.infinite and x > 0.0
        return self.low <= x <= self.high and self.above < x < self.below

    def number(self, value: Any) -> float | None:
        """A number of any kind as a float; None if it is none."""
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value.item()
        if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
            return None
        try:
            return float(value)
        except OverflowError:
            return math.inf

    def take(self, value: Any, path: str, say: Say, before: Mapping[str, Any]) -> Any:
        """A float, or one of the words."""
        if isinstance(value, str) and value in self.words:
            return value
        if self.infinite and isinstance(value, str) and value == INFINITE:
            return math.inf
        x = self.number(value)
        if x is None or not self.fits(x):
            say(path, f"must be {self.allowed}, got {shown(value)}{self.hint(x)}")
            return None
        return x

    def hint(self, x: float | None) -> str:
        """A word to those who gave degrees."""
        if not self.angle or x is None or not math.isfinite(x) or abs(x) <= 2.0:
            return ""
        return f"; angles are in radians: for {x:g} degrees give np.radians({x:g}) = {math.radians(x):.4g}"

    def plain(self, value: Any) -> Any:
        """A number that JSON can hold."""
        return INFINITE if isinstance(value, float) and math.isinf(value) else value

    def schema(self) -> dict[str, Any]:
        """A number with its bounds."""
        names = {
            "minimum": self.low,
            "maximum": self.high,
            "exclusiveMinimum": self.above,
            "exclusiveMaximum": self.below,
        }
        result: dict[str, Any] = {"type": "number"} | {k: v for k, v in names.items() if math.isfinite(v)}
        words = [*self.words, *([INFINITE] if self.infinite else [])]
        return {"anyOf": [result, {"enum": words}]} if words else result


@dataclass(frozen=True)
class Angle(Number):
    """An angle in radians; given in degrees by mistake, it is refused with a hint."""

    low: float = -TURNS
    high: float = TURNS
    unit: str = "rad"

    angle = True

    def take_degrees(self, value: Any, path: str, say: Say, before: Mapping[str, Any]) -> Any:
        """The angle in radians, from degrees."""
        x = self.number(value)
        turned = None if x is None else float(np.radians(x))
        if turned is not None and self.fits(turned):
            return turned
        if isinstance(value, str) and (value in self.words or (self.infinite and value == INFINITE)):
            return self.take(value, path, say, before)
        bounds: dict[str, Any] = {name: math.degrees(getattr(self, name)) for name in ("low", "high", "above", "below")}
        degrees = Number(unit="deg", words=self.words, infinite=self.infinite, **bounds)
        say(path, f"must be {degrees.allowed}, got {shown(value)}")
        return None


@dataclass(frozen=True)
class Whole(Number):
    """A whole number within bounds."""

    @property
    def allowed(self) -> str:
        """What is allowed."""
        if math.isfinite(self.low) and math.isfinite(self.high):
            return f"a whole number from {self.low:g} to {self.high:g}"
        return "a whole number" + (f" {self.bounds}" if self.bounds else "")

    def take(self, value: Any, path: str, say: Say, before: Mapping[str, Any]) -> Any:
        """An int."""
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not whole or not self.low <= value <= self.high:
            say(path, f"must be {self.allowed}, got {shown(value)}")
            return None
        return int(value)

    def schema(self) -> dict[str, Any]:
        """An integer with its bounds."""
        return {**super().schema(), "type": "integer"}


@dataclass(frozen=True)
class Choice(Quantity):
    """One of a few texts or whole numbers."""

    options: tuple[Any, ...] = ()

    @property
    def allowed(self) -> str:
        """What is allowed."""
        return f"one of {', '.join(str(option) for option in self.options)}"

    def take(self, value: Any, path: str, say: Say, before: Mapping[str, Any]) -> Any:
        """The option."""
        for option in self.options:
            if (
                type(value) is type(option) or (isinstance(option, str) and isinstance(value, str))
            ) and value == option:
                return option
            if isinstance(option, int) and isinstance(value, np.integer) and value == option:
                return option
        say(path, f"must be {self.allowed}, got {shown(value)}{near(value, self.options)}")
        return None

    def schema(self) -> dict[str, Any]:
        """An enumeration."""
        return {"enum": list(self.options)}


@dataclass(frozen=True)
class Flag(Quantity):
    """True or false."""

    @property
    def allowed(self) -> str:
        """What is allowed."""
        return "true or false"

    def take(self, value: Any, path: str, say: Say, before: Mapping[str, Any]) -> Any:
        """A bool."""
        if not isinstance(value, bool | np.bool_):
            say(path, f"must be true or false, got {shown(value)}")
            return None
        return bool(value)

    def schema(self) -> dict[str, Any]:
        """A boolean."""
        return {"type": "boolean"}


@dataclass(frozen=True)
class Text(Quantity):
    """A text."""

    most: int = 1000
    plain_words: bool = False  # letters, digits and . ( ) + - _ only: it is drawn in pictures and names files

    @property
    def allowed(self) -> str:
        """What is allowed."""
        return f"a text of at most {self.most} characters" + (
            ", letters, digits and . ( ) + - _" if self.plain_words else ""
        )

    def take(self, value: Any, path: str, say: Say, before: Mapping[str, Any]) -> Any:
        """A str."""
        strange = isinstance(value, str) and (
            "\0" in value
            or (not value.isascii() and any("\ud800" <= c <= "\udfff" for c in value))
            or (self.plain_words and not re.fullmatch(r"[\w .()+-]+", value))
        )
        if not isinstance(value, str) or len(value) > self.most or strange:
            say(path, f"must be {self.allowed}, got {shown(value)}")
            return None
        return value

    def schema(self) -> dict[str, Any]:
        """A string."""
        return {"type": "string", "maxLength": self.most} | ({"pattern": r"^[\w .()+-]+$"} if self.plain_words else {})
