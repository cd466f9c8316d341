"""What a result rests on, as BibTeX: the package, and the sources that robot, gait, law, plan and controller name themselves.

A kind names its sources in the docstring of its module, a robot in its field `source`; `SOURCES` knows by which words, and holds of each what
our texts say of it, no more: a field that is not known is left out. A robot's source that is not in the table is cited by its own words.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

from serpenoid.core.command import COMMANDS
from serpenoid.core.family import Family
from serpenoid.core.robot import ROBOTS
from serpenoid.core.world import LAWS

STUDIES = {"ma2001", "sarrafan2012", "shan1993", "yamada2006"}  # sources that are reproduced claim by claim


class Source(NamedTuple):
    """A source: the words by which texts name it, its kind of entry, and its fields."""

    words: str
    entry: str
    fields: Mapping[str, str]


def _paper(words: str, author: str, title: str, year: int, **more: str) -> Source:
    given = {"author": author, "title": f"{{{title}}}", **more, "year": str(year)}
    return Source(words, "article" if "journal" in more else "misc", given)


SOURCES = {
    "ma2001": _paper(
        r"Ma, Li(,| and) Wang,? \(?2001|S\. Ma, W\. J\. Li", "Ma, S. and Li, W. J. and Wang, Y.",
        "A Simulator to Analyze Creeping Locomotion of a Snake-like Robot", 2001,
    ),
    "sarrafan2012": _paper(
        r"Sarrafan et al\. \(2012|Sarrafan, Akbarzadeh|S\. Sarrafan", "Sarrafan, S. and Akbarzadeh, A. and Molavipoor, S. and Arhami, M.",
        "Kinematics and Motion Analysis of a Three-Dimensional Sidewinding Snake-like Robot", 2012,
    ),
    "shan1993": _paper(
        r"Shan,? (and )?(Y\. )?Koren|Y\. Shan", "Shan, Y. and Koren, Y.", "Design and Motion Planning of a Mechanical Snake", 1993
    ),
    "yamada2006": _paper(r"Yamada,? (and )?(S\. )?Hirose", "Yamada, H. and Hirose, S.", "Study on the 3D Shape of Active Cord Mechanism", 2006),
    "hirose1993": _paper(r"Hirose,? \(?1993", "Hirose, S.", "Biologically Inspired Robots", 1993),
    "hu2009": _paper(
        r"Hu et al\. \(?2009", "Hu and others", "The Mechanics of Slithering Locomotion", 2009, journal="PNAS", volume="106", pages="10081"
    ),
    "alben2013": _paper(
        r"Alben,? \(?2013", "Alben", "Optimizing Snake Locomotion in the Plane", 2013, journal="Proc. R. Soc. A", volume="469", pages="20130236"
    ),
    "armstrong1994": Source(
        r"Armstrong-Helouvry", "article",
        {"author": "Armstrong-Helouvry and Dupont and Canudas de Wit", "journal": "Automatica", "volume": "30", "year": "1994"},
    ),
    "tesch2009": Source(r"Tesch et al\. \(2009", "misc", {"author": "Tesch and others", "year": "2009"}),
    "astley2015": _paper(
        r"Astley et al\. \(2015", "Astley and others", "Modulation of Orthogonal Body Waves Enables High Maneuverability in Sidewinding Locomotion", 2015
    ),
    "travers2018": _paper(
        r"Travers, Whitman and Choset", "Travers and Whitman and Choset", "Shape-based Coordination in Locomotion Control", 2018, journal="IJRR",
        volume="37",
    ),
    "liljeback2013": Source(
        r"Liljebaeck, Pettersen", "book",
        {"author": 'Liljeb{\\"a}ck and Pettersen and Stavdahl and Gravdahl', "title": "{Snake Robots}", "publisher": "Springer", "year": "2013"},
    ),
    "borhaug2008": Source(r"Borhaug, Pavlov", "misc", {"author": "Borhaug and Pavlov and Pettersen", "howpublished": "CDC", "year": "2008"}),
    "snakelib": Source(r"kmkar31/snakelib", "misc", {"title": "{snakelib}", "howpublished": "github.com/kmkar31/snakelib"}),
    "bam": Source(r"Rhoban/bam|Rhoban", "misc", {"author": "Rhoban", "title": "{bam}", "howpublished": "github.com/Rhoban/bam"}),
}  # fmt: skip


def sources_in(text: str) -> list[str]:
    """The keys of the sources that a text names."""
    return [key for key, source in SOURCES.items() if re.search(source.words, text)]


def reasons_to_cite(scenario: Mapping[str, Any]) -> dict[str, list[str]]:
    """The sources behind a description, each with what it is named by."""
    robot, world = scenario.get("robot", {}), scenario.get("world", {})
    texts = {f"the robot {robot.get('name') or robot.get('preset') or ''}".strip(): _text_of_robot(robot)}
    law = (world.get("friction") or {}).get("law")
    named: list[tuple[str, Family, Any]] = [("friction law", LAWS, law)]
    named += [(key, family, scenario[key].get("kind")) for key, family in COMMANDS.items() if isinstance(scenario.get(key), Mapping)]  # fmt: skip
    for what, family, kind in named:
        if isinstance(kind, str):
            texts[f"the {what} {kind}"] = text_of_kind(family, kind)
    found: dict[str, list[str]] = {}
    for what, text in texts.items():
        for key in sources_in(text):
            found.setdefault(key, []).append(what)
    return found


def text_of_kind(family: Mapping[str, Any], kind: str) -> str:
    """The docstrings of a kind and its module; of a module of one's own only where it is loaded."""
    thing = family.get(kind)
    if thing is None:
        own, _, name = kind.partition(":")
        thing = getattr(sys.modules.get(own), name, None)
    home = sys.modules.get(getattr(thing, "__module__", ""))
    return f"{getattr(home, '__doc__', '') or ''}\n{getattr(thing, '__doc__', '') or ''}"


def _text_of_robot(robot: Mapping[str, Any]) -> str:
    """What a robot says of its sources: its own words, else those of its preset's module."""
    preset = robot.get("preset")
    return str(robot.get("source") or (text_of_kind(ROBOTS, preset) if isinstance(preset, str) else ""))


def bibtex(scenario: Mapping[str, Any], version: str) -> str:
    """BibTeX of what a description rests on, each entry after a comment that says for what it is cited."""
    entries = [
        "% the package with which the numbers were made\n"
        + _entry("serpenoid", "software", {
            "title": "{serpenoid: a laboratory for snake-like robots}", "author": "{The serpenoid developers}", "version": version, "license": "MIT",
        })
    ]  # fmt: skip
    for key, what in reasons_to_cite(scenario).items():
        study = f"; reproduced claim by claim by: serpenoid study {key}" if key in STUDIES else ""
        entries.append(f"% {', '.join(what)}{study}\n" + _entry(key, SOURCES[key].entry, SOURCES[key].fields))
    robot = scenario.get("robot", {})
    words = str(robot.get("source") or "")
    if words and not sources_in(words):
        title = f"{{The robot {robot.get('name', 'robot')}}}"
        entries.append("% the robot, by its own words\n" + _entry("robot", "misc", {"title": title, "note": words}))
    return "\n\n".join(entries)


def _entry(key: str, entry: str, fields: Mapping[str, str]) -> str:
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
    return "\n".join([f"@{entry}{{{key},", *lines, "}"])
