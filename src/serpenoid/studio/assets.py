"""The built page: its parts as files of the package, and one self-contained HTML file made of them.

`make web` builds the parts from `web/` into `studio/page/`; a wheel carries them. In the single file script and style stand inline, allowed
by their digests in the content-security policy; worker, kernels and declarations are blocks of data (base64 of gzip). Nothing is ever
fetched from elsewhere.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from importlib import resources
from pathlib import Path
from typing import Any

from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.formats.files import write_text

TYPES = {
    "index.html": "text/html; charset=utf-8",
    "style.css": "text/css; charset=utf-8",
    "app.js": "text/javascript; charset=utf-8",
    "worker.js": "text/javascript; charset=utf-8",
    "physics.wasm": "application/wasm",
    "declarations.json": "application/json",
}
BLOCKS = ("worker.js", "physics.wasm", "declarations.json")  # of the single file, beside script and style
_DATA = re.compile(r'<script type="application/json" id="serpenoid-data">.*?</script>\s*', re.DOTALL)
_STYLE = re.compile(r'<link rel="stylesheet" href="style\.css"\s*/?>')
_SCRIPT = re.compile(r'<script [^>]*src="app\.js"[^>]*></script>')


def folder() -> Path:
    """Where the built page lies."""
    return Path(str(resources.files("serpenoid") / "studio" / "page"))


def missing() -> list[str]:
    """Parts of the page that are not built."""
    return [name for name in TYPES if not (folder() / name).is_file()]


def part(name: str) -> bytes:
    """A part of the page; refused with what to do where the page is not built."""
    if name not in TYPES:
        raise InputError(f"the page has no part {name!r}; its parts are {', '.join(TYPES)}")
    try:
        return (folder() / name).read_bytes()
    except OSError:
        raise InputError(
            f"the studio's page is not built ({', '.join(missing()) or name} missing): run `make web` in a copy of the source; it needs "
            "node and the package ziglang. A wheel of serpenoid carries the page"
        ) from None


def policy(script: str, style: str, connect: str) -> str:
    """The content-security policy: WebAssembly may be compiled, and nothing looser; workers come from the page itself."""
    return (
        f"default-src 'none'; script-src {script} 'wasm-unsafe-eval'; style-src {style}; img-src 'self' data: blob:; "
        f"connect-src {connect}; worker-src blob:; font-src 'self' data:; base-uri 'none'; form-action 'none'"
    )


def _hashed(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def data_block(data: Any) -> str:
    """Data of the page as a block that no text in it can end."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return f'<script type="application/json" id="serpenoid-data">{text}</script>'


def with_data(page: str, data: Any) -> str:
    """The page's skeleton with its data before everything that reads them."""
    return _put(_DATA.sub("", page), _SCRIPT, lambda found: f"{data_block(data)}\n{found}")


def _put(page: str, pattern: re.Pattern[str], change: Any) -> str:
    """The page with the one place of a pattern changed."""
    made, count = pattern.subn(lambda found: change(found[0]), page)
    if count != 1:
        raise InputError(f"the built page is damaged: {pattern.pattern!r} stands {count} times in it; run `make web`")
    return made


@door
def html_of(items: list[dict[str, Any]], *, embedded: bool = False, state: str = "") -> str:
    """One self-contained HTML file that shows these items (`item_of`), in the state of a link: opened from a disk, it needs no network."""
    from serpenoid.version import __version__

    script, style = (part(name).decode("utf-8") for name in ("app.js", "style.css"))
    script = script.replace("</script", "<\\/script").replace("<!--", "<\\!--")
    if "</style" in style:
        raise InputError("the built style sheet ends itself; run `make web`")
    data = {"format": 1, "version": __version__, "server": False, "embedded": embedded, "items": items, "state": state}
    blocks = "\n".join(f'<script type="text/plain" id="asset-{name}">{_packed(part(name))}</script>' for name in BLOCKS)
    rules = policy(_hashed(script), _hashed(style), "'none'")
    page = with_data(part("index.html").decode("utf-8"), data)
    page = _put(
        page,
        re.compile(r"<head>"),
        lambda head: f'{head}\n<meta http-equiv="Content-Security-Policy" content="{rules}">',
    )
    page = _put(page, _STYLE, lambda _: f"<style>{style}</style>")
    return _put(page, _SCRIPT, lambda _: f'{blocks}\n<script type="module">{script}</script>')


def _packed(contents: bytes) -> str:
    return base64.b64encode(gzip.compress(contents, 9, mtime=0)).decode()


@door
def write_html(items: list[dict[str, Any]], path: str | Path, *, state: str = "") -> Path:
    """Write the page that shows these items as one file."""
    return write_text(path, html_of(items, state=state))
