"""How does the winding angle and the friction along the body decide the way and its cost? A map of 300 runs, drawn as one figure."""

import serpenoid as sp
from serpenoid.view.sweep import sweep_figure

made = sp.sweeps.sweep(
    "creep",
    {"gait.winding_angle_deg": "20:76:4", "world.friction.along": "0.02:0.4:0.02"},
    "out/16_sweep/store",  # stopped at any instant and started again, it goes on here
    changes=["run.duration=3", "gait.stop_time=3", "run.step=1e-3", "robot.links=12"],
)
data = made.dataset  # one labelled array per metric, with units
best = data["com_distance"].max("winding_angle_deg")
print(f"{made.done} cells: {dict(made.statuses)}")
for along in (0.1, 0.2, 0.3):
    row = data["com_distance"].sel(along=along, method="nearest")
    angle = int(row.idxmax())
    print(
        f"friction {along:.1f} along the body: {float(best.sel(along=along, method='nearest')):.3f} m, at {angle} degrees"
    )
print(sweep_figure(data[["com_distance", "cost_of_transport", "status"]], "out/16_sweep/map.png"))
