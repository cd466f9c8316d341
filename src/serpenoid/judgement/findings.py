"""All findings that are computed of a run, and the kernel that fills them in: of the files with FINDINGS that are imported here, by their PLACE."""

from __future__ import annotations

from typing import Any

from serpenoid.judgement import commanded, stability, touching
from serpenoid.judgement.chain import chained, files_of
from serpenoid.judgement.ledger import Sentence

FILES = files_of(globals(), "FINDINGS")
FINDINGS: dict[str, Sentence] = {code: sentence for file in FILES for code, sentence in file.FINDINGS.items()}
find: Any = chained("find", (), "findings", [(file, len(file.FINDINGS)) for file in FILES], globals())
