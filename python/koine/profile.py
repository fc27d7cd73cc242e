# SPDX-License-Identifier: Apache-2.0
"""What the devices do, and how long: `with koine.profile.Session() as session: ...`, then `print(session.table())`."""
from ._koine import _profile

Command, Row, Session, bandwidth = _profile.Command, _profile.Row, _profile.Session, _profile.bandwidth

__all__ = ["Command", "Row", "Session", "bandwidth"]
