"""What a dataset allows before anyone trains."""

from wlt.auditing.audit import Audit, audit
from wlt.auditing.bounds import Bound
from wlt.auditing.limits import ceiling, limits

__all__ = ["Audit", "Bound", "audit", "ceiling", "limits"]
