"""How many items are in each state."""

from core.errors import StateError
from core.workflow.people import benchmark_in
from core.workflow.workspace import Workspace
from db.queries import item_lists
from db.vocabulary import ItemState


def counts(ws: Workspace, benchmark: str = "") -> dict[str, int]:
    """Items per state, every state named; of all benchmarks when none is given.

    Raises StateError when the states do not add up to the items (promise 3).
    """
    with ws.reading() as session:
        benchmark_id = benchmark_in(session, benchmark).id if benchmark else None
        states = item_lists.states(session, benchmark_id)
    total = sum(states.values())
    by_state = {state.value: states.get(state, 0) for state in ItemState}
    if sum(by_state.values()) != total:
        raise StateError.trn(
            "The counts do not balance: 1 item in known states, {total} in total. Run "
            "benchseal verify.",
            "The counts do not balance: {n} items in known states, {total} in total. "
            "Run benchseal verify.",
            sum(by_state.values()),
            total=total,
        )
    return by_state
