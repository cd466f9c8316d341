"""The figure of the study: lag, amplitude and speed over tempo, by servo, beside the recorded ranges."""

from __future__ import annotations

from pathlib import Path

from serpenoid.studies.servo_tracking.judgement import AMPLITUDES, LAGS
from serpenoid.studies.servo_tracking.tracking import FREQUENCY, JointTrack
from serpenoid.view.style import GREY, LINES, canvas, dress, legend, save


def tracking_figure(table: dict[tuple[str, float], JointTrack], path: Path) -> Path:
    """Draw lag, amplitude and speed."""
    figure = canvas(11.0, 3.8)
    lag, size, speed = figure.subplots(1, 3)
    names = list(dict.fromkeys(name for name, _ in table))
    for k, name in enumerate(names):
        tempos = sorted(tempo for other, tempo in table if other == name)
        x, tracks, colour = [FREQUENCY * t for t in tempos], [table[name, t] for t in tempos], LINES[k % len(LINES)]
        lag.plot(x, [t.lag[1] for t in tracks], "o-", color=colour, ms=4, label=name)
        lag.fill_between(x, [t.lag[0] for t in tracks], [t.lag[2] for t in tracks], color=colour, alpha=0.15, lw=0)
        size.plot(x, [t.amplitude[1] for t in tracks], "o-", color=colour, ms=4)
        size.fill_between(
            x, [t.amplitude[0] for t in tracks], [t.amplitude[2] for t in tracks], color=colour, alpha=0.15, lw=0
        )
        speed.plot(x, [t.speed for t in tracks], "o-", color=colour, ms=4)
    lag.axhspan(*LAGS, color=GREY, alpha=0.2, lw=0, label="recorded")
    size.axhspan(*AMPLITUDES, color=GREY, alpha=0.2, lw=0)
    dress(lag, "gait [rad/s]", "lag [s]", "joints lag the gait")
    dress(size, "gait [rad/s]", "amplitude / command", "and lose amplitude")
    dress(speed, "gait [rad/s]", "speed [m/s]", "which costs speed")
    size.set_ylim(0.0, 1.25)
    speed.set_ylim(bottom=0.0)
    legend(lag, loc="upper right")
    lag.set_ylim(-0.02, 0.6)
    figure.tight_layout()
    return save(figure, path)
