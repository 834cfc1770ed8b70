"""Who claims goes through all that is shown, in order, and past whatever imports hide."""

from datetime import timedelta

import pytest

from db import people
from db.claiming import claims
from db.engine import Store
from db.vocabulary import Stage
from tests.db.importing.test_pending_imports import LAYOUTS, laid_out

HOUR = timedelta(hours=1)
SCATTERED = tuple((place,) for place in range(1, 21, 2))


@pytest.mark.parametrize("few", [50, 2], ids=["by gaps", "by every item"])
@pytest.mark.parametrize("layout", [*LAYOUTS, SCATTERED], ids=str)
def test_everything_that_is_shown_is_claimed_in_order(
    store: Store, layout, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "FEW_GAPS", few)
    with store.writing() as session:
        numbers, hidden = laid_out(session, layout)
        person = people.add(session, "ann", "annotator").id
        claimed = []
        while item := claims.claim_next(session, person, Stage.CHECK, HOUR):
            claimed.append(item.id)
        assert claimed == [number for number in numbers if number not in hidden]
