"""Why a move of a round was wrong, which is stored once it is known: the solver need not wait for it."""

from __future__ import annotations

from sqlalchemy import update

from db.attempts import Round
from db.store import Store
from motifsearch.trainer.rounds import OpenRound, Refuted, correct, open_round


def explain(store: Store, opened: OpenRound, refuted: Refuted) -> None:
    """Store what is said of the wrong move that was the last one of `opened`.

    The version of the round stays, so that what somebody does before the reason is seen still counts. A move
    that wins as well is no mistake, also if the solver has played on since.
    """
    now = open_round(store, opened.number)
    if now.solving is None or now.state.place != opened.state.place:
        return
    if now.version == opened.version and now.state.refuted is None:
        now.refuted(refuted)
    elif refuted.also_wins and now.solving.mistakes and opened.version not in now.state.excused:
        now.solving.excuse()
    else:
        return
    if refuted.also_wins:
        now.state.excused.append(opened.version)
    now.state.solving = now.solving.state
    is_same = (Round.number == now.number) & (Round.version == now.version)
    with store.session() as session:
        # Nobody else changes the round until this is committed.
        if session.execute(update(Round).where(is_same).values(version=now.version)).rowcount:  # type: ignore[attr-defined]
            correct(session, now)
            session.execute(update(Round).where(is_same).values(state=now.state.model_dump(mode="json")))
