"""`resolve_person_tool`: whom does a request mean?"""

from graphs.contracts import DiagnosisInput, ResolvePersonData, ToolResult
from graphs.ports import BusinessReader
from graphs.retry import is_transient
from graphs.tools.failure import failure_of

CANDIDATES_SHOWN = 20
"""Candidates handed to a person to choose from; the count tells how many there are in all."""

RESOLVED = ToolResult[ResolvePersonData]


def resolve_person_tool(request: DiagnosisInput, reader: BusinessReader) -> ToolResult[ResolvePersonData]:
    """The athlete that slug, id or name mean: one, several ranked candidates, or nobody.

    Raises what the database raises when the fault may pass by itself; any other fault is an error result.
    """
    if not (request.person_slug or request.person_id or request.person_name):
        return RESOLVED.failure("empty_request", "name an athlete: give a slug, an id or a name")
    try:
        people, count = reader.find_people(request, limit=CANDIDATES_SHOWN)
    except Exception as error:
        if is_transient(error):
            raise
        return RESOLVED.failure(*failure_of(error))
    if count == 0:
        data = ResolvePersonData(match_type="not_found")
    elif count == 1:
        data = ResolvePersonData(match_type="unique", person=people[0], candidate_count=1)
    else:
        data = ResolvePersonData(match_type="multiple", candidates=tuple(people), candidate_count=count)
    return RESOLVED.success(data)
