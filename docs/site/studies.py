"""Studies in the site: each README with the verdicts and figures of a quick form of the study, run while the site is built."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import serpenoid
from serpenoid.studies import STUDIES

FOLDER = "src/serpenoid/studies"
PACKAGE = Path(serpenoid.__file__).parent


def run_study(name: str, out: Path) -> Path:
    """Run the quick form of a study in a process of its own."""
    words = [sys.executable, "-m", "serpenoid", "study", name, "--quick", "--out", str(out), "--force", "--json"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=out.parent)
    if done.returncode != 0:
        raise SystemExit(f"study {name} ended with {done.returncode}: {done.stderr[-2000:]}")
    return out


def digest_of_sources() -> str:
    """Digest of all that a study can depend on: the package's own files."""
    files = sorted(path for path in PACKAGE.rglob("*") if path.suffix in (".py", ".toml", ".txt", ".png"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


def run_studies(folder: Path) -> dict[str, Path]:
    """Run all studies, two at a time: by name the folder with claims.json and figures. Those of the same sources are kept."""
    folder.mkdir(parents=True, exist_ok=True)
    mark, digest = folder / "digest.txt", digest_of_sources()
    if not mark.is_file() or mark.read_text() != digest:
        shutil.rmtree(folder)
        folder.mkdir()
    missing = [name for name in STUDIES if not (folder / name / "claims.json").is_file()]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda name: run_study(name, folder / name), missing))
    mark.write_text(digest)
    return {name: folder / name for name in STUDIES}


def cell(text: object) -> str:
    """Text in a cell of a table."""
    return str(text or "").replace("|", "\\|").replace("\n", " ").replace("<", "\\<").replace("*", "\\*")


def verdicts(folder: Path) -> str:
    """Table of claims, then the figures."""
    found = json.loads((folder / "claims.json").read_text())
    claims = found["claims"] if isinstance(found, dict) else found
    rows = [
        f"| {c['id']} | {cell(c['claim'])} | {cell(c['measured'])} | **{c['verdict']}** | {cell(c.get('reason'))} |"
        for c in claims
    ]
    text = "\n## Verdicts\n\nOf the quick form, run when this site was built.\n\n| id | claim | measured | verdict | reason |\n|---|---|---|---|---|\n"
    return text + "\n".join(rows) + "\n"


def write_studies(source: Path, made: dict[str, Path] | None) -> None:
    """Add verdicts and figures to the pages of the studies; None: leave them as they are."""
    for name, folder in (made or {}).items():
        page = source / FOLDER / name / "README.md"
        if not page.is_file():
            continue
        figures = sorted(folder.glob("*.png"))
        for figure in figures:
            shutil.copy(figure, page.parent / figure.name)
        shown = "".join(f"\n![{figure.stem}]({figure.name})\n" for figure in figures)
        page.write_text(page.read_text() + verdicts(folder) + ("\n## Figures\n" + shown if figures else ""))
