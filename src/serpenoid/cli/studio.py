"""serpenoid studio: the page in a browser, served on this machine."""

from __future__ import annotations

import argparse

from serpenoid.cli.arguments import add_changes, allowed, refusal
from serpenoid.cli.terminal import bar, give, say

TEXT = "open the studio: the page with live sliders, served on this machine"


def add(sub: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    sub.add_argument(
        "thing", nargs="*", default=[], metavar="SCENARIO|TRAJECTORY|STORE",
        help="what to show (default: the creeping robot); two: compared on one timeline",
    )  # fmt: skip
    add_changes(
        sub,
        "let the scenario name files, and links in the folder that is served lead to results, that do not lie in it",
    )
    sub.add_argument("--port", type=int, default=0, metavar="N", help="port to listen on (default: a free one)")
    sub.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="ADDRESS",
        help="address to listen on (default 127.0.0.1: this machine only)",
    )
    sub.add_argument("--no-browser", action="store_true", help="print the address, open nothing")


def command(args: argparse.Namespace) -> int:
    """Serve the studio until it is interrupted."""
    from serpenoid.studio.items import opened
    from serpenoid.studio.serve import serve

    if not 0 <= args.port <= 65535:
        raise refusal(f"--port must be 0 (a free one) to 65535, got {args.port}")
    modules = allowed(args.allow)
    with bar("loading"):
        items = [
            opened(name, changes=args.set, allow=modules, outside=args.allow_outside)
            for name in args.thing or ["creep"]
        ]
    if args.host not in ("127.0.0.1", "::1"):
        say(
            f"serpenoid: other machines can reach {args.host}; whoever has the address with its token can use this studio"
        )

    def ready(address: str) -> None:
        if args.json:
            give({"status": "ok", "address": address})
        else:
            print(f"The studio is open at\n  {address}\nCtrl-C ends it.", flush=True)

    serve(
        items,
        host=args.host,
        port=args.port,
        browser=not (args.no_browser or args.json),
        outside=args.allow_outside,
        ready=ready,
    )
    return 0
