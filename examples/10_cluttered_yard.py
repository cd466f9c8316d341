"""A yard full of posts and walls: obstacles are touched and slid along, not avoided."""

from collections import Counter
from pathlib import Path

from serpenoid.core import Disc, Polygon, Wall
from serpenoid.planning import ConcertinaPlan
from serpenoid.view.concertina import steps_figure
from serpenoid.view.plans import plan_film

out = Path("out")
out.mkdir(exist_ok=True)

yard = (
    Wall((1.0, 2.6), (12.0, 2.6), 0.3), Wall((1.0, -2.6), (9.0, -2.6), 0.3),  # a lane
    Disc((6.6, 0.9), 0.45), Disc((8.6, -0.75), 0.5), Disc((10.6, 0.95), 0.4),  # posts in it, by turns left and right
    Polygon(((11.6, -3.2), (13.6, -2.6), (13.0, -0.9))), Wall((13.6, 1.1), (16.4, 2.4), 0.25), Disc((15.6, -1.0), 0.5),
)  # fmt: skip
target, half_width = (18.0, 1.0), 0.05  # link lengths

stopped = ConcertinaPlan(target, obstacles=yard, half_width=half_width, on_contact="stop").solve()
print(f"stopping at the first contact: {stopped.status}, {stopped.final_distance:.1f} link lengths from the target")
found = ConcertinaPlan(target, obstacles=yard, half_width=half_width).solve()
print(f"accommodating obstacles: {found.status} in {found.cycles} cycles with {len(found.contacts)} contacts")
for link, times in sorted(Counter(contact.link for contact in found.contacts).items()):
    print(f"  link {link} touched {times} time{'s' * (times > 1)}")
for contact in found.contacts[:3]:
    print(f"  cycle {contact.cycle}, stage {contact.stage}: link {contact.link} at ({contact.point[0]:.2f}, {contact.point[1]:.2f}), "
          f"pushed along ({contact.direction[0]:+.2f}, {contact.direction[1]:+.2f})")  # fmt: skip
print("wrote", steps_figure(found, out / "yard.png"))
print("wrote", plan_film(found, out / "yard.gif", fps=10, speed=25.0))

corners = ((17.0, -3.0), (17.0, 5.0), (20.0, 5.0), (20.0, -3.0))
round_it = tuple(Wall(a, b, 0.3) for a, b in zip(corners, (*corners[1:], corners[0]), strict=True))
shut = ConcertinaPlan(target, obstacles=(*yard, *round_it)).solve()
print(f"with four walls round the target: {shut.status}: {shut.reason}")
