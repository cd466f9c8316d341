"""What a run is worth: metrics from what was recorded and added up, compiled once for package, batch and page.

`ledger` names what is known of a run, `metrics` all that is computed of it. A metric is a line in `METRICS` of one of the files that `metrics`
imports, and a line in the kernel there; everybody who measures runs has it then, the page too.
"""
