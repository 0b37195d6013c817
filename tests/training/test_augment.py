import numpy as np

from app.training.augment import Augmenter
from app.training.examples import QaExample

CONTEXT = "The Knave of Hearts stole the tarts in 1865. He took them quite away. The King called for them on Monday."
EXAMPLE = QaExample(
    "1", CONTEXT, "Who stole the tarts in 1865?", (("The Knave of Hearts", 0),), "book", "Alice"
)
OTHER = QaExample(
    "2",
    "The Queen made some tarts. It was all on a summer day.",
    "Who made tarts?",
    (("The Queen", 0),),
    "book",
    "Alice",
)
RNG = np.random.default_rng(1)


def test_the_answers_sentence_is_taken_out() -> None:
    varied = Augmenter([]).without_answer(EXAMPLE, RNG)
    assert varied is not None
    assert varied.context == "He took them quite away. The King called for them on Monday."
    assert (varied.answers, varied.question) == ((), EXAMPLE.question)
    # Not where the answer stands elsewhere too, or nothing is left.
    again = QaExample("1", "Bob ran. Bob sat. Bob slept.", "Who ran?", (("Bob", 0),))
    assert Augmenter([]).without_answer(again, RNG) is None
    short = QaExample("1", "Bob ran. He sat.", "Who ran?", (("Bob", 0),))
    assert Augmenter([]).without_answer(short, RNG) is None


def test_a_neighbour_holds_no_answer() -> None:
    augmenter = Augmenter([EXAMPLE, OTHER], neighbour=1.0)
    varied = augmenter.vary(EXAMPLE, RNG)
    assert (varied.context, varied.answers, varied.question) == (OTHER.context, (), EXAMPLE.question)
    alone = QaExample("3", CONTEXT, "Who?", (("The Knave of Hearts", 0),), "book", "Another title")
    assert augmenter.vary(alone, RNG) == alone
    # They can be asked for where none is drawn.
    augmenter = Augmenter([EXAMPLE, OTHER], neighbours=True)
    assert augmenter.vary(EXAMPLE, RNG) is EXAMPLE
    neighbour = augmenter.neighbour(EXAMPLE, RNG)
    assert neighbour is not None and neighbour.context == OTHER.context
    assert Augmenter([EXAMPLE, OTHER]).neighbour(EXAMPLE, RNG) is None


def test_a_swap_names_something_else() -> None:
    questions = {Augmenter([]).swapped(EXAMPLE, np.random.default_rng(i)) for i in range(20)}
    opposite = QaExample("1", CONTEXT, "Who was the first?", (("The Knave of Hearts", 0),))
    assert Augmenter([]).swapped(opposite, RNG).question == "Who was the last?"
    for varied in questions - {None}:
        assert varied.answers == () and varied.question != EXAMPLE.question and varied.context == CONTEXT


def test_shares_and_seed() -> None:
    augmenter = Augmenter([EXAMPLE, OTHER], remove=0.2, neighbour=0.2)

    def run(seed: int) -> list[QaExample]:
        rng = np.random.default_rng(seed)
        return [augmenter.vary(EXAMPLE, rng) for _ in range(400)]

    assert run(1) == run(1)
    made = sum(not e.answers for e in run(1))
    assert 120 < made < 200
    unanswerable = QaExample("4", CONTEXT, "Why?", ())
    assert all(augmenter.vary(unanswerable, RNG) is unanswerable for _ in range(20))
