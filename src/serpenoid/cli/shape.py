"""serpenoid shape: a named shape traced, converted, rolled, fitted and drawn."""

from __future__ import annotations

import argparse

from serpenoid.cli.arguments import add_out, results
from serpenoid.cli.terminal import bar, give

TEXT = "trace, convert, roll and fit a named shape"


def add(sub: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    sub.add_argument("name", help="see serpenoid list shapes")
    sub.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a parameter of the shape")
    sub.add_argument("--model", choices=("bellows", "frenet", "complete"), help="convert to this model, same backbone")
    sub.add_argument("--roll", type=float, default=0.0, metavar="DEG", help="lateral rolling (bellows shapes)")
    sub.add_argument("--fit", metavar="ROBOT", help="fit a robot's joint angles (serpenoid list robots)")
    sub.add_argument("--links", type=int, help="number of links of the fitted robot")
    sub.add_argument("--method", choices=("integral", "sequential"), default="integral", help="how to fit")
    sub.add_argument("--limit", type=float, metavar="DEG", help="joint limit")
    sub.add_argument(
        "--approximate", action="store_true", help="fit yaw joints to a curve out of the plane all the same"
    )
    sub.add_argument("--film", action="store_true", help="draw a film of lateral rolling")
    add_out(sub, "out/shape-NAME")


def command(args: argparse.Namespace) -> int:
    """Trace a named shape, convert, roll and fit it, and draw it."""
    from serpenoid.formats import files
    from serpenoid.simulation import form as forms
    from serpenoid.view.rolling import rolling_film
    from serpenoid.view.shape import shape_figure

    form = forms.form(
        args.name, args.set, model=args.model, roll_deg=args.roll, robot=args.fit, links=args.links, method=args.method,
        limit_deg=args.limit, approximate=args.approximate,
    )  # fmt: skip
    with results(args, f"shape-{args.name}") as made:
        result, out = form.report(), made.path
        paths = {"shape": files.write_json(out / "shape.json", result)}
        nodes = form.fit.nodes[:: max(1, len(form.fit.nodes) // 300)] if form.fit is not None else None
        paths["figure"] = shape_figure(form.curve, out / "shape.png", nodes=nodes, title=form.title, note=form.note)
        if args.film:
            with bar("drawing rolling.mp4") as progress:
                paths["film"] = rolling_film(
                    form.rolling(), out / "rolling.mp4", progress=progress, title=f"{args.name}: lateral rolling"
                )
    paths = made.final(paths)
    if args.json:
        give({**result, "files": {k: str(v) for k, v in paths.items()}})
        return 0
    print(form.summary())
    print(f"  in {made.target}: {', '.join(path.name for path in paths.values())}")
    more = "--film" if not args.film else "--fit universal" if not args.fit else "--model bellows"
    print(f"  next: serpenoid shape {args.name} {more}")
    return 0
