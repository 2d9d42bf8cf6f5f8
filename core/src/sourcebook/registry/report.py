"""The state of every installed plugin, as `sourcebook plugins` prints it."""

from typing import TYPE_CHECKING

from attrs import frozen

from sourcebook.registry.loading import KINDS

if TYPE_CHECKING:
    from sourcebook.registry import Registry


@frozen
class PluginStatus:
    """One plugin of one distribution.

    Args:
        kind: `subject`, `store`, `embedder`, `renderer`, `command` or `bundle`; `file` for a file
            of the user's own that brings nothing.
        name: what a user types.
        distribution, version: who brings it; a file's path and no version for what is in a file.
        status: `ok`; `broken` (the reason says what is wrong with it); `duplicate` (another
            distribution has the name too, neither is used); `left out` (loading is limited to
            other names); `missing` (loading is limited to a name that nothing has).
        reason: why it is not used, empty if it is.
    """

    kind: str
    name: str
    distribution: str
    version: str
    status: str
    reason: str = ""


def report(registry: "Registry") -> list[PluginStatus]:
    """Load every plugin and return their states, by kind, name and distribution."""
    rows = []
    for kind, about in KINDS.items():
        for name, claims in registry.claims(kind).items():
            fault = registry.fault(kind, name)
            for claim in sorted(claims, key=lambda claim: claim.distribution.name):
                if not registry.admitted([claim]):
                    status, reason = "left out", f"not named in {registry.limited_by}"
                elif fault:
                    status, reason = fault.status, fault.reason
                else:
                    status, reason = "ok", ""
                rows.append(
                    PluginStatus(
                        about.singular,
                        name,
                        claim.distribution.name,
                        claim.distribution.version,
                        status,
                        reason,
                    )
                )
    rows.extend(
        PluginStatus("file", file.path.stem, str(file.path), "", "broken", file.reason)
        for file in registry.broken_files
    )
    rows.extend(
        PluginStatus(
            "", name, "", "", "missing", f"named in {registry.limited_by}, but not installed"
        )
        for name in registry.unclaimed()
    )
    return rows
