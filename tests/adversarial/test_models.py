"""Hostile URDF and MJCF files: refused clearly, soon, with little memory; nothing outside is read."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

import serpenoid as sp
from serpenoid.core.errors import InputError, SerpenoidError
from serpenoid.formats.mjcf import read_mjcf
from serpenoid.formats.scenario import read
from serpenoid.formats.urdf import read_urdf, urdf_text
from serpenoid.robots import ma2001
from serpenoid.simulation.setup import setup_of

MOST_MEMORY = 1_500_000_000  # bytes of address space: what Python with NumPy maps, and 200 MB
GOOD = urdf_text(ma2001(links=4).but(radius=0.01))
BOMB = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + "".join(f'<!ENTITY a{k} "{f"&a{k - 1 if k else chr(0)};" * 10}">'.replace("\0", "") for k in range(9)) + "]><robot>&a8;</robot>"  # fmt: skip


def link(name: str, mass: str = "1") -> str:
    size = '<collision><origin xyz="0.5 0 0" rpy="0 1.5707963267948966 0"/><geometry><cylinder length="1" radius="0.1"/></geometry></collision>'
    return f'<link name="{name}"><inertial><mass value="{mass}"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>{size}</link>'


def joint(name: str, parent: str, child: str, kind: str = "revolute", xyz: str = "1 0 0", axis: str = "0 0 1") -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/><origin xyz="{xyz}"/><axis xyz="{axis}"/>'
        '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
    )


def robot(*parts: str) -> str:
    return f'<robot name="x">{"".join(parts)}</robot>'


HOSTILE = {
    "entity bomb": BOMB,
    "external entity": '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="r">&x;</robot>',
    "external document type": '<!DOCTYPE r SYSTEM "http://127.0.0.1/x.dtd"><robot/>',
    "cycle": robot(link("a"), link("b"), joint("j", "a", "b"), joint("k", "b", "a")),
    "cycle aside": robot(link("r"), link("a"), link("b"), joint("j", "a", "b"), joint("k", "b", "a")),
    "two roots": robot(link("a"), link("b"), link("c"), joint("j", "a", "b")),
    "two parents": robot(link("a"), link("b"), link("c"), joint("j", "a", "c"), joint("k", "b", "c")),
    "deep chain": robot(*[link(f"l{k}") for k in range(100_001)], *[joint(f"j{k}", f"l{k}", f"l{k + 1}") for k in range(100_000)]),
    "short deep chain": robot(*[f'<link name="{k}"/>' for k in range(100_001)], *[f'<joint name="{k}" type="fixed"><parent link="{k}"/><child link="{k + 1}"/></joint>' for k in range(100_000)]),
    "many links": robot(*[link(f"l{k}") for k in range(2_001)], *[joint(f"j{k}", f"l{k}", f"l{k + 1}") for k in range(2_000)]),
    "many elements": robot("<a/>" * 100_000),
    "many attributes": "<robot " + " ".join(f'a{k}=""' for k in range(1_000_000)) + "/>",
    "many arms": robot(*[link(f"l{k}") for k in range(2_000)], *[joint(f"j{k}", "l0", f"l{k}", xyz=f"{k} 1 0") for k in range(1, 2_000)]),
    "deep nesting": "<robot>" + "<a>" * 100_000 + "</a>" * 100_000 + "</robot>",
    "NaN mass": robot(link("a", "nan"), link("b"), joint("j", "a", "b")),
    "infinite mass": robot(link("a", "1e999"), link("b"), joint("j", "a", "b")),
    "negative mass": robot(link("a", "-1"), link("b"), joint("j", "a", "b")),
    "duplicate links": robot(link("a"), link("a"), joint("j", "a", "a")),
    "duplicate joints": robot(link("a"), link("b"), link("c"), joint("j", "a", "b"), joint("j", "b", "c")),
    "no such link": robot(link("a"), link("b"), joint("j", "a", "nolink")),
    "no axis": robot(link("a"), link("b"), joint("j", "a", "b", axis="0 0 0")),
    "oblique axis": robot(link("a"), link("b"), joint("j", "a", "b", axis="0 1 1")),
    "sliding joint": robot(link("a"), link("b"), joint("j", "a", "b", kind="prismatic")),
    "unknown joint": robot(link("a"), link("b"), joint("j", "a", "b", kind="magnetic")),
    "crooked": robot(*[link(c) for c in "abc"], joint("j", "a", "b"), joint("k", "b", "c", xyz="1 1 0"), ),
    "no joint": robot(link("a"), link("b")),
    "not a robot": "<html/>",
    "no XML": "x" * 1000,
    "empty": "",
    "truncated": GOOD[: len(GOOD) // 2],
    "words for numbers": robot(link("a", "heavy"), link("b"), joint("j", "a", "b")),
    "unknown encoding": '<?xml version="1.0" encoding="klingon"?><robot/>',
}  # fmt: skip
SAID = {
    "many arms": "length of 0 m",
    "entity bomb": "document type", "external entity": "document type", "external document type": "document type", "cycle": "cycle", "cycle aside": "cycle",
    "two roots": "one root", "two parents": "two joints", "deep chain": "20 MB", "deep nesting": "nested", "NaN mass": "finite", "infinite mass": "finite",
    "negative mass": ">= 0", "duplicate links": "twice", "duplicate joints": "twice", "no such link": "no link 'nolink'", "no axis": "without length",
    "oblique axis": "x, y or z", "sliding joint": "slides", "unknown joint": "type", "crooked": "straight", "no joint": "root", "not a robot": "<robot>",
    "unknown encoding": "encoding", "words for numbers": "heavy", "short deep chain": "attributes at most", "many links": "2 to 2000 links",
    "many elements": "60000 at most", "many attributes": "attributes at most",
}  # fmt: skip


def model(*parts: str, head: str = "") -> str:
    return f"<mujoco>{head}<worldbody>{''.join(parts)}</worldbody></mujoco>"


def body(name: str, inner: str = "", pos: str = "1 0 0", mass: str = "1") -> str:
    inertia = f'<inertial pos="0.5 0 0" mass="{mass}" diaginertia="1 1 1"/>'
    return f'<body name="{name}" pos="{pos}"><joint axis="0 0 1"/>{inertia}<geom type="capsule" size="0.1" fromto="0 0 0 1 0 0"/>{inner}</body>'


def floating(inner: str, name: str = "base") -> str:
    return body(name, inner).replace('<joint axis="0 0 1"/>', "<freejoint/>", 1)


MJCF = {
    "entity bomb": (BOMB.replace("robot", "mujoco"), "document type"),
    "include": ('<mujoco><include file="/etc/passwd"/></mujoco>', "include"),
    "mesh outside": ('<mujoco><asset><mesh name="m" file="../../etc/passwd"/></asset></mujoco>', "folder or below"),
    "absolute mesh": ('<mujoco><asset><mesh name="m" file="/etc/passwd"/></asset></mujoco>', "folder or below"),
    "mesh folder": ('<mujoco><compiler meshdir="/etc"/><asset><mesh name="m" file="passwd"/></asset></mujoco>', "folder or below"),
    "plugin": ('<mujoco><extension><plugin plugin="x"/></extension></mujoco>', "extension"),
    "nesting": (model('<body><geom size="1"/>' * 50_000 + "</body>" * 50_000), "nested"),
    "less nesting": (model('<body><geom size="1"/>' * 499 + "</body>" * 499), "nested"),
    "many bodies": (model(*(body(str(k)) for k in range(3_000))), "2000 bodies"),
    "NaN": (model('<body><freejoint/><geom size="nan"/></body>'), "finite"),
    "NaN mass": (model(floating(body("a", mass="nan"))), "finite"),
    "infinite place": (model(floating(body("a", pos="1e999 0 0"))), "finite|bounds|does not take"),
    "ball": (model(floating(body("a").replace("<joint", '<joint type="ball"'))), "ball"),
    "nothing": ("<mujoco/>", "no joint"),
    "duplicate names": (model(floating(body("a", body("a")))), "repeated name"),
    "two roots": (model(floating(body("a")), floating(body("b"), name="c")), "one root"),
    "endless copies": (model(f'<replicate count="100000000" offset="1 0 0">{body("a")}</replicate>'), "replicate"),
    "endless cable": (model('<composite type="cable" curve="s" count="100000 1 1" size="1"/>'), "composite"),
    "endless cloth": (model('<body><flexcomp type="grid" count="1000 1000 100" spacing="1 1 1" name="x" dim="3"/></body>'), "flexcomp"),
    "endless heights": (model(body("a"), head='<asset><hfield name="h" nrow="100000" ncol="100000" size="1 1 1 1"/></asset>'), "hfield"),
    "built-in mesh": (model(body("a"), head='<asset><mesh name="m" builtin="sphere" params="12"/></asset>'), "builtin"),
}  # fmt: skip
HARMLESS = {
    "endless memory": '<size memory="100G" nuser_body="1000000000" nkey="2000000000"/>',
    "endless picture": '<asset><texture name="t" type="2d" builtin="flat" width="100000" height="100000"/></asset>',
}


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_hostile_urdf(name: str, tmp_path: Path) -> None:
    path = tmp_path / "x.urdf"
    path.write_text(HOSTILE[name])
    with pytest.raises(InputError, match=SAID.get(name, "not valid XML")) as refused:
        read_urdf(path)
    assert "root:" not in str(refused.value) and len(str(refused.value)) < 600


@pytest.mark.parametrize("name", sorted(MJCF))
def test_hostile_mjcf(name: str, tmp_path: Path) -> None:
    path = tmp_path / "x.xml"
    text, said = MJCF[name]
    path.write_text(text)
    with pytest.raises(InputError, match=said) as refused:
        read_mjcf(path)
    assert "root:" not in str(refused.value) and len(str(refused.value)) < 600


@pytest.mark.parametrize("head", ["", *HARMLESS.values()])
def test_what_is_no_part_of_a_robot_is_not_compiled(head: str, tmp_path: Path) -> None:
    path = tmp_path / "x.xml"
    path.write_text(model(floating(body("a")), head=head))
    made = read_mjcf(path).robot
    assert made.links == 2 and made.mass == 2.0 and made.length == 2.0


def test_a_hundred_megabytes_of_whitespace(tmp_path: Path) -> None:
    path = tmp_path / "x.urdf"
    with path.open("w") as handle:
        handle.write("<robot>")
        handle.truncate(100_000_000)
    with pytest.raises(InputError, match="100 MB"):
        read_urdf(path)


@pytest.mark.parametrize("name", ["entity bomb", "deep chain", "short deep chain", "many attributes", "deep nesting"])
def test_little_memory_is_enough_to_refuse(name: str, tmp_path: Path) -> None:
    path = tmp_path / "x.urdf"
    path.write_text(HOSTILE[name])
    code = f"from serpenoid.formats.urdf import read_urdf\ntry:\n    read_urdf({str(path)!r})\nexcept ValueError as e:\n    print('refused')"
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))  # noqa: E731
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, preexec_fn=limit)
    assert done.stdout == "refused\n", done.stderr[-300:]


def test_a_scenario_names_its_robots_file(tmp_path: Path) -> None:
    (tmp_path / "my.urdf").write_text(GOOD)
    scenario = tmp_path / "mine.toml"
    text = '[robot]\nfile = "my.urdf"\nlink_mass = 0.5\n[gait]\nkind = "serpenoid"\nwinding_angle = 0.5\nwaves = 1.0\nspeed = 0.1\n[run]\nduration = 0.1\n'
    scenario.write_text(text)
    made = setup_of(read(str(scenario))).robot
    assert made.links == 4 and made.mass == 2.0 and made.length == pytest.approx(ma2001(links=4).length, rel=1e-12)
    for wrong in ("/etc/passwd", "../my.urdf", "no.urdf"):
        scenario.write_text(text.replace("my.urdf", wrong))
        with pytest.raises(SerpenoidError) as refused:
            read(str(scenario))
        assert "root:" not in str(refused.value)


def test_a_run_repeats_what_its_robots_file_lacks(tmp_path: Path) -> None:
    (tmp_path / "my.urdf").write_text(
        robot(link("a"), link("b"), link("c"), joint("j", "a", "b"), joint("k", "b", "c"))
    )
    scenario = tmp_path / "mine.toml"
    text = '[robot]\nfile = "my.urdf"\n[gait]\nkind = "serpenoid"\nwinding_angle = 0.3\nwaves = 1.0\nspeed = 0.1\n[run]\nduration = 0.02\n'
    scenario.write_text(text)
    said = " ".join(sp.run_scenario(str(scenario)).warnings)
    assert "exactly 1 kg" in said and "no gains" in said
    scenario.write_text(text.replace('"my.urdf"\n', '"my.urdf"\nlink_mass = 1.2\n'))
    assert "exactly 1 kg" not in " ".join(sp.run_scenario(str(scenario)).warnings)
    scenario.write_text(text.replace('"my.urdf"\n', '"my.urdf"\nlinks = 3\n'))
    with pytest.raises(InputError, match="either file or links"):
        read(str(scenario))
