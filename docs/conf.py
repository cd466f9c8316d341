"""Settings of Sphinx for the site; `docs/site/build.py` copies the pages and calls it (see `make docs`)."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "site"))

from serpenoid.version import VERSION

project, author, release, version = "serpenoid", "The serpenoid developers", VERSION, VERSION
copyright = "The serpenoid developers"
extensions = ["myst_parser", "sphinx_gallery.gen_gallery"]
root_doc = "docs/index"
include_patterns = [
    "docs/**",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "benchmarks/README.md",
    "src/serpenoid/studies/*/README.md",
]
exclude_patterns = ["docs/gallery/**.py", "docs/gallery/**.ipynb"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
highlight_language = "none"
language = "en"
smartquotes = False  # primes are derivatives
html_context = {"default_mode": "auto"}
add_module_names = False
toc_object_entries = False

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "docs/gallery",
    "filename_pattern": r"/\d\d_",
    "plot_gallery": os.environ.get("SERPENOID_SITE") == "whole",
    "within_subsection_order": "FileNameSortKey",
    "image_scrapers": ("pictures",),
    "reset_modules": (),
    "notebook_extensions": set(),
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
    "thumbnail_size": (400, 280),
    "copyfile_regex": "",
    "default_thumb_file": str(Path(__file__).parent / "creep.png"),
}

html_theme = "pydata_sphinx_theme"
html_title = "serpenoid"
html_show_sourcelink = False
html_copy_source = False
html_css_files = ["site.css"]
html_sidebars = {"**": ["sidebar-nav-bs", "page-toc"], "docs/index": []}
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": [],
    "navigation_with_keys": False,
}


def setup(app: object) -> None:
    """Static files are those of the copy: live pages and films are written there while examples run."""
    folder = Path(app.srcdir) / "live"  # type: ignore[attr-defined]
    folder.mkdir(exist_ok=True)
    shutil.copy(Path(__file__).parent / "site" / "site.css", folder)
    app.config.html_static_path = [str(folder)]  # type: ignore[attr-defined]
