"""What a word that is not known may have meant: one rule for commands, keys, names, metrics and attributes.

| a word is taken for a known one if | example |
|---|---|
| they differ in case, hyphens or blanks alone | `SideWinding`, sidewinding |
| they differ in spelling or number | `optimize`, optimise; `gait`, gaits |
| other packages call it so | `qpos`, joint_angle |
| they have the same parts in another order | `max_torque`, torque_max |
| they differ by few letters: `_allowed` | `rnu`, run |
| one begins or ends with the other, at a border | `ma2001`, ma2001-case-one |
| the known one begins with it, or with its stem | `dur`, duration; `sidewinder`, sidewinding |

The first line that holds decides. A far word gets no suggestion: a wrong one costs more than none. Nothing is imported here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

LEAST = 3  # letters of a word that may be part of another
STEM, ENDING = 5, 2  # letters of a stem at least, of the ending that may be another
FEW_LETTERS = 4  # its place among the kinds of nearness

SPELLINGS = (
    ("ization", "isation"), ("ize", "ise"), ("izing", "ising"), ("yze", "yse"), ("color", "colour"), ("center", "centre"), ("meter", "metre"),
    ("behavior", "behaviour"), ("gray", "grey"), ("modeling", "modelling"), ("license", "licence"), ("neighbor", "neighbour"), ("labeled", "labelled"),
)  # fmt: skip

SYNONYMS = {  # what others call it: what it is called here, each used only where it is known
    "simulate": ("run",), "solve": ("simulate", "run"), "rollout": ("simulate", "run"), "run": ("simulate",),
    "init": ("new",), "create": ("new",), "template": ("new",), "start": ("new",), "tune": ("optimise", "best"), "search": ("optimise",), "fit": ("optimise",),
    "minimize": ("minimise", "optimise"), "maximize": ("maximise", "optimise"), "scan": ("sweep", "sweeps"), "grid": ("sweep", "sweeps"), "batch": ("sweep", "simulate_many"),
    "info": ("show",), "describe": ("show",), "inspect": ("show",), "print": ("show",), "view": ("show",), "keys": ("schema", "variables"), "ls": ("list",),
    "check": ("verify",), "validate": ("verify",), "convert": ("export",), "save": ("export",), "citation": ("cite", "citations"), "bibtex": ("cite", "citations"),
    "gui": ("studio",), "serve": ("studio",), "benchmark": ("bench",), "paper": ("study",),
    "motors": ("size", "servos"), "trust": ("allow",), "friction": ("laws", "contact"), "commands": ("gaits",), "snake": ("Robot", "robot"), "model": ("Robot", "robot"),
    "environment": ("World", "world", "envs"), "env": ("envs", "world"), "rod": ("Robot",), "solution": ("variables",),
    "data": ("variables", "dataset"), "states": ("variables",), "to_xarray": ("dataset",), "to_dataset": ("dataset",), "to_netcdf": ("save",),
    "render": ("film",), "animate": ("film",), "video": ("film",), "qpos": ("joint_angle",), "qvel": ("joint_rate",), "ctrl": ("joint_target",), "actuator_force": ("joint_torque",),
    "timestep": ("step",), "dt": ("step",), "mu": ("along",), "n_links": ("links",), "num_links": ("links",),
}  # fmt: skip


def near_words(word: object, known: Iterable[object]) -> list[str]:
    """The known words that a word may have meant, at most three, the likeliest first; empty if none is near."""
    text, ranked = str(word)[:100], []
    for number, other in enumerate(dict.fromkeys(map(str, known))):
        rank = _rank(text, other)
        if rank is not None:
            ranked.append((rank, number, other))
    ranked.sort()
    return [other for rank, _, other in ranked if rank[0] == ranked[0][0][0]][:3]


def nearest(word: object, known: Iterable[object]) -> str | None:
    """The known word that a word most likely meant; None if none is near."""
    return next(iter(near_words(word, known)), None)


def near(word: object, known: Iterable[object]) -> str:
    """A suggestion to stand behind an error; empty if no known word is near."""
    found = nearest(word, known)
    return "" if found is None else f"; did you mean {found}?"


def _rank(word: str, other: str) -> tuple[float, float] | None:
    """How near two words are, by the kind of nearness, then by how much they differ; None: not near."""
    a, b = _plain(word), _plain(other)
    if a == b:
        return 0, 0.0
    if _british(a) == _british(b):
        return 1, 0.0
    if other in (wanted := SYNONYMS.get(_british(a), SYNONYMS.get(a, SYNONYMS.get(word, ())))):
        return 2, wanted.index(other)
    parts, others = _parts(word), _parts(other)
    if len(parts) > 1 and sorted(parts) == sorted(others):
        return 3, 0.0
    steps = edits(a, b)
    if steps <= _allowed(a, b) and min(len(a), len(b)) > steps + 1:
        return FEW_LETTERS, steps
    shorter, longer = sorted((parts, others), key=len)
    n = len(shorter)
    if n < len(longer) and len("".join(shorter)) >= LEAST and shorter in (longer[:n], longer[-n:]):
        return FEW_LETTERS + 1, 0.0
    return (FEW_LETTERS + 2, len(b)) if len(a) >= LEAST and b.startswith(a[: max(len(a) - ENDING, STEM)]) else None


def _allowed(a: str, b: str) -> int:
    """How many letters may differ: one of up to six, two of up to ten, else three; one more where the first of several is right."""
    few = 1 if len(a) <= 6 else 2 if len(a) <= 10 else 3
    return few + (len(a) > 4 and a[0] == b[0])


def _parts(word: str) -> list[str]:
    """The parts of a compound name, in lower case and British spelling, each as a singular."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", word)
    return [_british(part) for part in re.split(r"[^a-z0-9]+", spaced.lower()) if part]


def _plain(word: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", word.lower())


def _british(word: str) -> str:
    """A word in British spelling, as a singular."""
    for american, british in SPELLINGS:
        if british not in word:
            word = word.replace(american, british)
    if len(word) > LEAST + 1 and word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if len(word) > LEAST and word.endswith("s") and not word.endswith("ss") else word


def edits(a: str, b: str) -> int:
    """How many letters must be put in, left out, replaced or exchanged with their neighbour to make b of a."""
    before, row = [0] * (len(b) + 1), list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, before, row = before, row, [i] + [0] * len(b)
        for j, y in enumerate(b, 1):
            row[j] = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                row[j] = min(row[j], last[j - 2] + 1)
    return row[-1]
