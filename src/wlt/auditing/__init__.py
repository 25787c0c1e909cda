"""What a dataset allows before anyone trains."""

from wlt.auditing.audit import Audit, audit
from wlt.auditing.bounds import Bound
from wlt.auditing.limits import bound_of_model, ceiling, limits

__all__ = ["Audit", "Bound", "audit", "bound_of_model", "ceiling", "limits"]
