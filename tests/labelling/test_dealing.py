"""Who labels what: dealing documents out to several people."""

from __future__ import annotations

import random
from typing import Any

import pytest

from hungjury.labelling.dealing import AWAY, Answer, Dealing
from hungjury.labelling.items import Item, batches


def dealing(topics: str, size: int = 50, **more: Any) -> Dealing:
    items = [Item(t, str(i)) for i, t in enumerate(topics)]
    return Dealing(list(topics), batches(items, size), **more)


def take(deal: Dealing, person: int, now: float = 0.0) -> int | None:
    deal.alive(person, now)
    item = deal.choose(person, now)
    if item is not None:
        deal.deal(person, item)
    return item


def test_one_person_goes_through_the_batches_in_order() -> None:
    deal = dealing("abaabbca", 5)
    seen = []
    while (item := take(deal, 1)) is not None:
        seen.append(item)
        deal.answer(1, item, Answer(0))
    assert seen == [0, 2, 3, 1, 4, 5, 6, 7]


def test_two_people_work_on_two_topics_and_meet_at_the_end() -> None:
    deal = dealing("aabb", people=2)
    assert (take(deal, 1), take(deal, 2)) == (0, 2)
    deal.answer(1, 0, Answer(1))
    assert take(deal, 1) == 1
    deal.answer(1, 1, Answer(1))
    assert take(deal, 1) == 3
    deal.answer(2, 2, Answer(1))
    assert take(deal, 2) is None


def test_a_skipped_document_goes_to_somebody_else_and_not_back() -> None:
    deal = dealing("ab", people=2)
    assert take(deal, 1) == 0
    deal.answer(1, 0, Answer(None, "I cannot tell"))
    assert take(deal, 1) == 1
    deal.answer(1, 1, Answer(0))
    assert take(deal, 1) is None
    assert take(deal, 2) == 0


def test_a_person_who_left_does_not_keep_a_document() -> None:
    deal = dealing("a", people=2)
    assert take(deal, 1) == 0
    assert take(deal, 2, now=AWAY - 1) is None
    assert take(deal, 2, now=AWAY + 1) == 0


@pytest.mark.parametrize("seed", range(20))
def test_dealing_against_a_plain_account_of_its_rules(seed: int) -> None:
    """Random people who label, skip, undo and come late: nobody sees a document twice, every
    document gets the labels it should, and batches are finished in order."""
    chance = random.Random(seed)
    count, people, share = 60, chance.randint(1, 3), chance.choice([0.0, 0.25, 1.0])
    deal = dealing("".join(chance.choice("abcd") for _ in range(count)), 10,
                   people=people, share=share)  # fmt: skip
    shown: dict[int, list[int]] = {who: [] for who in range(people)}
    said: dict[tuple[int, int], int | None] = {}
    for _ in range(3000):
        who = chance.randrange(people)
        if deal.current(who) is None:
            item = take(deal, who)
            if item is None:
                continue
            shown[who].append(item)
        item = deal.current(who)
        assert item is not None
        if chance.random() < 0.1 and (back := deal.last_answered(who)) is not None:
            deal.answer(who, back, None)
            del said[who, back]
            assert deal.current(who) == back
            continue
        grade = None if chance.random() < 0.05 else chance.randrange(3)
        deal.answer(who, item, Answer(grade))
        said[who, item] = grade
    twice = {i for i in range(count) if int((i + 1) * share) > int(i * share)}
    assert len(twice) == round(share * count)
    for who in range(people):
        assert len(set(shown[who])) == len(shown[who])
    for item in range(count):
        labels = [g for (_, i), g in said.items() if i == item and g is not None]
        skips = [g for (_, i), g in said.items() if i == item and g is None]
        wanted = 2 if item in twice and people > 1 else 1
        assert len(labels) == min(wanted, people - len(skips)) or len(labels) == wanted
    labelled = {i for (_, i), g in said.items() if g is not None}
    assert deal.overall().done == len(labelled)
    assert deal.overall().total == count
    assert deal.overall().left == 0
