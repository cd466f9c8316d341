"""Which gait is best under a torque limit, and what does speed cost? Three numbers of a gait searched at once, and the Pareto front."""

from pathlib import Path

import serpenoid as sp
from serpenoid.view.search import search_figure

out = Path("out")
out.mkdir(exist_ok=True)
quick = ["run.step=2e-3", "run.duration=5", "gait.stop_time=5", "run.record_interval=0.02"]
over = ["gait.winding_angle_deg=10:70", "gait.waves=1:3", "gait.speed=0.2:1.2"]

best = sp.optimise.optimise_scenario(
    "creep", quick, over=over, maximise="com_distance", subject_to="torque_max<2", evaluations=500
)
print(
    f"farthest within 2 N m: {best['value']:.3f} m, at "
    + ", ".join(f"{k} = {x:.3g}" for k, x in best["optimum"].items())
)
print(
    f"  peak torque {best['limits'][0]['value']:.3f} N m; {best['sure']['agree']} of 4 restarts came within 1 % of it"
)
print("wrote", search_figure(best, out / "best-gait.png"))

front = sp.optimise.optimise_scenario("creep", quick, over=over, evaluations=600)
fast, middle, cheap = front["front"][0], front["knee"], front["front"][-1]
for word, point in (("fastest", fast), ("middle", middle), ("cheapest", cheap)):
    values = point["values"]
    print(f"{word}: {values['steady_speed']:.3f} m/s at a cost of transport of {values['cost_of_transport']:.3f}")
for gait in front["bundled"]:
    values = gait["values"]
    print(f"  bundled {gait['name']}: {values['steady_speed']:.3f} m/s at {values['cost_of_transport']:.3f}")
print("wrote", search_figure(front, out / "speed-and-cost.png"))
