"""Which winding angle suits a ground? The best one by the efficiency J of Ma, Li and Wang (2001), for three grounds."""

import serpenoid as sp

for along in (0.0, 0.1, 0.3):
    best = sp.optimise.optimise_scenario(
        "ma2001-case-two",
        ["gait.waves=2", "world.friction.across=0.8", f"world.friction.along={along}", "run.step=5e-4"],
        over="gait.winding_angle_deg=5:90",
        maximise="efficiency",
    )
    angle = best["optimum"]["gait.winding_angle_deg"]
    print(f"mu_t = {along:.1f}: {angle:5.1f} degrees, J = {best['value']:.3g} ({best['evaluations']} runs)")
