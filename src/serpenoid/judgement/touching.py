"""Whether contacts are what they seem: soft ground, links pressed in or aloft, a body that crosses itself, friction that is not alike all round."""

from __future__ import annotations

import math

from serpenoid.compiled import kernel
from serpenoid.contact import sums
from serpenoid.judgement import ledger as at
from serpenoid.judgement.effort import SLIP_FLOOR
from serpenoid.judgement.ledger import Sentence, least
from serpenoid.judgement.pressing import sag

PLACE = 3
SOFT = 0.01  # of the radius: static sag from which a ground counts as soft
SELF_SAG = 0.05  # of the radii: overlap of links from which contact between them counts as soft
DEEP = 0.25  # of the radius: from there on a contact is pressed in deeply
ALOFT = 0.2  # of the frames without any contact
ALIKE = 0.8  # ratio of coefficients from which they look equal
FINDINGS = {
    "no-slip": Sentence(f"slip per link {{slip:.1g}} m is below {SLIP_FLOOR:g} m: the efficiency is not defined"),
    "passed-obstacle": Sentence(
        "a link passed through an obstacle between two steps at t = {time:.4g} s, near ({x:.3g}, {y:.3g}) m: the step of {step:.3g} s is too long for "
        'its speed; use a shorter one, or step = "auto"'
    ),
    "soft-ground": Sentence("soft ground: at rest the links press in by {sag:.2g} m, {share:.0%} of their radius; raise its stiffness"),
    "pressed-in": Sentence(
        "link {link:d} is pressed {depth:.2g} m into ground or obstacle at t = {time:.4g} s, {share:.0%} of its radius; raise the stiffness, or approach "
        "more slowly"
    ),
    "aloft": Sentence("nothing touches the ground in {share:.0%} of the frames, first at t = {time:.3g} s"),
    "upright-links": Sentence("{count:d} contacts of upright links had no direction for their friction"),
    "axes-apart": Sentence(
        "friction along and across ({along:g}, {across:g}) act apart in this law, each as if the other were not: a slide at 45 degrees brakes "
        '{times:.2f} times as strongly; {other:axes = "together" makes it the same in all directions, or law = "unit-slip"; axes = "apart" says that '
        'this is meant|law = "coulomb" or "unit-slip" can be the same in all directions}'
    ),
    "crosses-itself": Sentence(
        "the body crosses itself: links {i:d} and {j:d} at t = {time:.4g} s, overlap up to {overlap:.2g} m[elsewhere? of links {a:d} and {b:d}]"
        "[thick? of radii that add up to {thick:.2g} m]; nothing keeps them apart"
    ),
    "pushed-through": Sentence(
        "links press on each other with up to {force:.3g} N, but ideal joints push them through: overlap up to {overlap:.2g} m of links {a:d} and {b:d} "
        "at t = {time:.4g} s; give the robot a servo, or torques"
    ),
    "soft-links": Sentence(
        "soft contact between links: {a:d} and {b:d} overlap by up to {overlap:.2g} m, {share:.0%} of their radii, at t = {time:.4g} s; raise "
        "world.self_contact.stiffness or shorten the step"
    ),
}  # fmt: skip


@kernel
def passed(run, row):
    """An obstacle that a link did pass between two steps."""
    time = run.sums[sums.CROSSED]
    if not time > 0.0:
        return
    nearest = 0
    for f in range(run.frames.shape[1]):
        if abs(run.frames[at.TIME, f] - time) < abs(run.frames[at.TIME, nearest] - time):
            nearest = f
    points = run.nodes.shape[1]
    row[0], row[1], row[4] = 1.0, time, run.facts[at.STEP]
    for i in range(points):
        row[2] += run.nodes[nearest, i, 0] / points
        row[3] += run.nodes[nearest, i, 1] / points


@kernel
def on_ground(run, out):
    """The findings of contacts with the ground: four."""
    facts, s, radius = run.facts, run.sums, least(run.links[at.RADIUS])
    depth = s[sums.PENETRATION_MAX]
    if facts[at.CAPSULE] > 0.0 and radius > 0.0 and sag(run) > SOFT * radius:
        out[0, 0], out[0, 1], out[0, 2] = 1.0, sag(run), sag(run) / radius
    if radius > 0.0 and depth > DEEP * radius:
        out[1, 0], out[1, 1], out[1, 2] = 1.0, s[sums.PENETRATION_LINK], depth
        out[1, 3], out[1, 4] = s[sums.PENETRATION_TIME], depth / radius
    count, first, frames = 0, 0, run.frames.shape[1]
    for f in range(frames):
        if run.frames[at.CONTACTS, f] == 0.0:
            first = f if count == 0 else first
            count += 1
    if facts[at.GRAVITY] > 0.0 and count > ALOFT * frames:
        out[2, 0], out[2, 1], out[2, 2] = 1.0, count / frames, run.frames[at.TIME, first]
    if s[sums.UPRIGHT] > 0.0:
        out[3, 0], out[3, 1] = 1.0, s[sums.UPRIGHT]


@kernel
def alike(run, row):
    """Equal coefficients of a law whose axes act apart, which look the same in all directions and are not."""
    facts = run.facts
    along, across, backward, coulomb = facts[at.ALONG], facts[at.ACROSS], facts[at.BACKWARD], facts[at.COULOMB] > 0.0
    equal = along == across and (backward != backward or backward == along)
    if coulomb and (facts[at.AXES_NAMED] > 0.0 or (facts[at.SPATIAL] > 0.0 and equal)):
        return
    low, high = min(along, across), max(along, across)
    if (coulomb or facts[at.THRESHOLD] > 0.0 or facts[at.BRISTLE] > 0.0) and high > 0.0 and low >= ALIKE * high:
        row[0], row[1], row[2], row[4] = 1.0, along, across, 0.0 if coulomb else 1.0
        row[3] = math.sqrt(1.0 + (low / high) ** 2)


@kernel
def link_on_link(run, out):
    """The findings of a body that meets itself: three."""
    facts, force = run.facts, run.sums[sums.SELF_FORCE_MAX]
    a, b, over = int(facts[at.OVERLAP_A]), int(facts[at.OVERLAP_B]), facts[at.OVERLAP]
    thick = run.links[at.RADIUS, a] + run.links[at.RADIUS, b]
    if not facts[at.SELF_CONTACT] > 0.0:
        if facts[at.CROSSES] == facts[at.CROSSES]:
            i, j = facts[at.CROSSES_A], facts[at.CROSSES_B]
            out[0, 0], out[0, 1], out[0, 2], out[0, 3], out[0, 4] = 1.0, i, j, facts[at.CROSSES], over
            out[0, 5], out[0, 6], out[0, 7] = 0.0 if a == i and b == j else 1.0, a, b
            out[0, 8] = thick
        return
    if facts[at.OVERLAP_TIME] != facts[at.OVERLAP_TIME] or not over > SELF_SAG * thick:
        return
    if facts[at.IDEAL] > 0.0 and force > 0.0:
        out[1, 0], out[1, 1], out[1, 2], out[1, 3], out[1, 4], out[1, 5] = (
            1.0,
            force,
            over,
            a,
            b,
            facts[at.OVERLAP_TIME],
        )
    else:
        out[2, 0], out[2, 1], out[2, 2], out[2, 3], out[2, 4], out[2, 5] = (
            1.0,
            a,
            b,
            over,
            over / thick,
            facts[at.OVERLAP_TIME],
        )


@kernel
def find(run, out):
    """Fill in the findings of this file."""
    slip = run.sums[sums.SLIP_ACROSS] / run.facts[at.LINKS]
    if slip <= SLIP_FLOOR:
        out[0, 0], out[0, 1] = 1.0, slip
    passed(run, out[1])
    if run.facts[at.SPATIAL] > 0.0:
        on_ground(run, out[2:6])
    alike(run, out[6])
    link_on_link(run, out[7:10])
