"""Why your snake slides: four mistakes of simulations, measured and drawn (see docs/why_it_slides.md)."""

import numpy as np

import serpenoid as sp
from serpenoid.core.errors import InputError
from serpenoid.view.style import BLUE, GREEN, GREY, ORANGE, RED, canvas, dress, save

robot = sp.robots.ma2001(links=20)
ground = sp.World(friction=sp.contact.Coulomb(along=0.1, across=0.5))
gait = sp.gaits.Serpenoid(winding_angle=0.8, waves=2, speed=0.8)


def creep(body: sp.Robot, world: sp.World) -> sp.Trajectory:
    """Eight seconds of the gait."""
    return sp.simulate(body, gait, world, duration=8.0, checked=False)


def isotropic_friction() -> None:
    """Three grounds, the same gait."""
    grounds = {
        "0.1 along, 0.5 across": (0.1, 0.5, BLUE),
        "0.5 in all directions": (0.5, 0.5, RED),
        "0.5 along, 0.1 across": (0.5, 0.1, ORANGE),
    }
    fig = canvas(9.0, 3.7)
    ax = fig.add_axes((0.03, 0.14, 0.95, 0.76))
    for lane, (name, (along, across, colour)) in enumerate(grounds.items()):
        run = creep(robot, sp.World(friction=sp.contact.Coulomb(along, across, axes="together")))
        way = float(run.metrics["com_dx"])
        print(f"friction {name}: {way:+.2f} m in 8 s")
        for frame, shade, width in ((0, GREY, 2.0), (-1, colour, 4.0)):
            x, y = run["node"][frame, :, 0], run["node"][frame, :, 1] - 1.2 * lane
            ax.plot(x, y, color=shade, linewidth=width, solid_capstyle="round")
            ax.plot(x[-1], y[-1], "o", color=shade, markersize=width + 3)
        ax.text(6.9, -1.2 * lane, f"{name}\n{way:+.2f} m", va="center", color=colour, fontsize=10)
    ax.set_aspect("equal")
    ax.set_xlim(-1.8, 9.6)
    ax.set_ylim(-3.0, 0.6)
    ax.set_yticks([])
    dress(ax, "x [m]", "", "The same gait on three grounds: start (grey) and after 8 s; the dot is the head")
    save(fig, "slides-isotropic.png")


def creeping_friction() -> None:
    """A robot at rest on a slope of 10 degrees that friction 0.5 could hold almost three times over."""
    slope = np.radians(10.0)
    body = sp.robots.sarrafan2012()
    world = sp.World(sp.contact.Coulomb(0.5, 0.5), ground=sp.Ground(slope=slope, stiffness=2e4, damping=50.0))
    law = sp.contact.Bristle(0.5, 0.5, stick_length_along=1e-5, stick_length_across=1e-5)
    cases = {
        "smoothed by 1 mm/s": (body, world.but(friction=sp.contact.Coulomb(0.5, 0.5, smoothing=1e-3)), None, RED),
        "MuJoCo's own contacts": (body.but(servo=sp.control.Servo()), world, "mujoco-native", ORANGE),
        "smoothing that follows the motion": (body, world, None, GREEN),
        "bristles: less than $10^{-10}$ mm": (body, world.but(friction=law), None, BLUE),
    }
    fig = canvas(9.0, 4.2)
    ax = fig.add_axes((0.1, 0.14, 0.87, 0.76))
    for name, (model, place, engine, colour) in cases.items():
        try:
            posture = sp.gaits.CompoundSerpenoid(ramp=0.0)
            run = sp.simulate(model, posture, place, 4.0, step=1e-3, engine=engine, checked=False)
        except InputError as error:  # MuJoCo is not installed
            print(f"{name}: {error}")
            continue
        late = run["time"] >= 1.0
        com, time = np.asarray(run["com"])[late], run["time"][late] - 1.0
        way = np.maximum(np.linalg.norm(com - com[0], axis=1), 1e-13)  # below a tenth of a picometre counts as that
        print(f"{name.split(':')[0]}: {way[-1] * 1e3:.2g} mm in 3 s")
        ax.semilogy(time[1:], 1e3 * way[1:], color=colour, linewidth=2.2)
        ax.text(3.0, 2.2e3 * way[-1], name, color=colour, fontsize=10, ha="right")
    ax.set_ylim(1e-11, 100.0)
    dress(ax, "time [s]", "way [mm]", "At rest on a slope of 10 degrees, friction 0.5: how far it creeps")
    save(fig, "slides-creep.png")


def soft_servos() -> None:
    """The gait through servos of growing gain."""
    gains = np.array([0.3, 1.0, 3.0, 10.0, 30.0, 100.0])
    way, share = [], []
    for gain in gains:
        run = creep(robot.but(servo=sp.control.Servo(stiffness=gain, damping=0.03 * gain)), ground)
        late = run["time"] > 4.0
        swing = [np.ptp(run[name][late], axis=0).mean() for name in ("joint_angle", "joint_target")]
        way.append(float(run.metrics["com_forward"]))
        share.append(swing[0] / swing[1])
        print(f"servo {gain:g} N m/rad: joints swing {share[-1]:.0%} of what is asked, {way[-1]:.2f} m in 8 s")
    fig = canvas(9.0, 3.8)
    left, right = fig.subplots(1, 2)
    fig.subplots_adjust(left=0.08, right=0.98, top=0.88, bottom=0.15, wspace=0.25)
    left.semilogx(gains, way, "o-", color=BLUE)
    left.axhline(float(creep(robot, ground).metrics["com_forward"]), color=GREY, linewidth=1.0)
    left.text(0.3, 5.1, "ideal joints", color=GREY, fontsize=9)
    left.set_ylim(-0.2, 5.7)
    dress(left, "stiffness of the servos [N m/rad]", "way in 8 s [m]", "How far it comes")
    right.semilogx(gains, share, "o-", color=ORANGE)
    right.axhline(1.0, color=GREY, linewidth=1.0)
    right.set_ylim(0.0, 1.9)
    dress(right, "stiffness of the servos [N m/rad]", "swing of the joints over that asked", "What is left of the gait")
    save(fig, "slides-servo.png")


def guessed_inertia() -> None:
    """Links of 0.5 kg and 8 cm whose inertia was left at a guess."""
    true = float(robot.but(link_inertia="uniform-rod").link_inertia[0])
    guesses = np.array([true, 1e-3, 1e-2, 0.1, 1.0])
    way, torque = [], []
    for guess in guesses:
        soft = robot.but(link_inertia=guess, servo=sp.control.Servo(stiffness=100.0, damping=3.0))
        way.append(float(creep(soft, ground).metrics["com_forward"]))
        torque.append(float(creep(robot.but(link_inertia=guess), ground).metrics["torque_max"]))
        print(f"inertia {guess:.2g} kg m^2: needs {torque[-1]:.3g} N m; under servos {way[-1]:.2f} m in 8 s")
    fig = canvas(9.0, 3.8)
    left, right = fig.subplots(1, 2)
    fig.subplots_adjust(left=0.08, right=0.98, top=0.88, bottom=0.15, wspace=0.25)
    left.semilogx(guesses, way, "o-", color=BLUE)
    left.set_ylim(-0.2, 5.7)
    dress(left, "inertia of a link [kg m$^2$]", "way in 8 s [m]", "Under servos of 100 N m/rad")
    right.loglog(guesses, torque, "o-", color=RED)
    dress(right, "inertia of a link [kg m$^2$]", "largest torque [N m]", "Torque that the gait needs")
    for ax in (left, right):
        ax.axvline(true, color=GREEN, linewidth=1.2, linestyle="--")
    left.text(true * 1.15, 0.15, "uniform rod:\n0.5 kg, 8 cm", color=GREEN, fontsize=9)
    save(fig, "slides-inertia.png")


isotropic_friction()
creeping_friction()
soft_servos()
guessed_inertia()
