"""Rule books from Python: a decision at a time and rows at once say the same."""
import concurrent.futures
import pickle

import numpy
import pandas
import pytest

import steelyard

TEXT = """
facts:
  - {name: plan.tensor, type: number}
  - {name: link.kind, type: string, values: [nvlink, pcie]}
  - {name: link.tested, type: bool}
decisions:
  - id: network.rate
    value: "plan.tensor * 10"
    because: "{plan.tensor} x 10"
  - id: network.fit
    hit_policy: first
    rules:
      - {id: network.fit.fast, when: link.kind == "nvlink" && link.tested, then: fast, because: "nvlink for {plan.tensor}"}
      - {id: network.fit.slow, when: link.kind == "pcie" && network.rate < 45, then: slow, because: "{network.rate} < 45 on PCIe"}
"""


@pytest.fixture
def book():
    return steelyard.RuleBook.from_text(TEXT, "links.yaml")


def nested(facts):
    found = {}
    for name, value in facts.items():
        group, key = name.split(".")
        found.setdefault(group, {})[key] = value
    return found


def test_one_decision(book):
    assert book.facts == ["plan.tensor", "link.kind", "link.tested"]
    assert book.decisions == ["network.rate", "network.fit"]
    found = book.decide("network.fit", {"plan": {"tensor": 4}, "link": {"kind": "pcie"}})
    assert found["status"] == "decided" and found["output"] == "slow"
    assert found["hits"][0]["because"] == "40 < 45 on PCIe"
    assert book.decide("network.fit", {"link": {"kind": "pcie"}})["unknown"] == ["plan.tensor"]
    assert "network.fit" in book.decide("network.fits", {})["error"]


def test_rows_say_what_single_decisions_say(book):
    tensor = numpy.array([1, 2, numpy.nan, 8, 3.0])
    kind = ["nvlink", "pcie", "pcie", "pcie", "nvlink"]
    tested = numpy.array([True, False, True, True, False])
    rows = book.decide_rows(["network.fit", "network.rate"], {"plan.tensor": tensor, "link.kind": kind, "link.tested": tested})
    assert list(rows) == ["network.fit", "network.rate"] and rows.count == 5
    for name in rows:
        for row in range(rows.count):
            facts = {"link.kind": kind[row], "link.tested": bool(tested[row])}
            if not numpy.isnan(tensor[row]):
                facts["plan.tensor"] = tensor[row]
            alone, column = book.decide(name, nested(facts)), rows[name]
            assert rows.outcome(name, row) == alone
            assert ("decided", "undetermined", "no_hit", "failed")[column.status[row]] == alone["status"]
            if len(column.rule):
                assert (column.rules[column.rule[row]] if column.rule[row] >= 0 else None) == (alone["hits"][0]["rule"] if alone["hits"] else None)
            if len(column.numbers):
                assert column.numbers[row] == alone["output"] or (numpy.isnan(column.numbers[row]) and alone["output"] is None)
    assert rows["network.fit"].rule.dtype == numpy.int32 and rows["network.rate"].numbers.dtype == numpy.float64


def test_frames_scalars_and_gaps(book):
    frame = pandas.DataFrame({"plan.tensor": [1, 2], "link.kind": ["pcie", None]})
    rows = book.decide_rows("network.fit", frame)
    assert rows["network.fit"].status.tolist() == [0, 1]
    assert rows.outcome("network.fit", 1)["unknown"] == ["link.kind", "link.tested"]
    rows = book.decide_rows("network.rate", {"plan.tensor": numpy.arange(100_000), "link.kind": "pcie"})
    assert rows["network.rate"].numbers.sum() == 10 * numpy.arange(100_000).sum()


def test_wrong_columns(book):
    with pytest.raises(steelyard.LoadError, match="did you mean plan.tensor"):
        book.decide_rows("network.rate", {"plan.tenser": [1, 2]})
    with pytest.raises(steelyard.LoadError, match="no such decision"):
        book.decide_rows("network.speed", {"plan.tensor": [1, 2]})
    with pytest.raises(steelyard.LoadError, match="link.kind"):
        book.decide_rows("network.rate", {"link.kind": [1, 2]})
    with pytest.raises(ValueError, match="one length"):
        book.decide_rows("network.rate", {"plan.tensor": [1, 2], "link.kind": ["pcie"]})
    with pytest.raises(ValueError, match="one length"):
        book.decide_rows("network.rate", {"plan.tensor": 1})
    with pytest.raises(ValueError, match="one dimension"):
        book.decide_rows("network.rate", {"plan.tensor": numpy.ones((2, 2))})
    with pytest.raises(IndexError):
        book.decide_rows("network.rate", {"plan.tensor": [1]}).outcome("network.rate", 1)


def test_shipped_books_and_pickles(book):
    reference = steelyard.RuleBook()
    assert reference.name == "reference" and "task.verdict" in reference.decisions
    assert pickle.loads(pickle.dumps(reference)).decisions == reference.decisions
    again = pickle.loads(pickle.dumps(book))
    assert again.decide("network.rate", {"plan": {"tensor": 3}})["output"] == 30
    with pytest.raises(steelyard.LoadError, match="no/such/folder"):
        steelyard.RuleBook("no/such/folder")
    with pytest.raises(steelyard.LoadError, match="lang"):
        steelyard.RuleBook(lang="xx")
    with pytest.raises(steelyard.LoadError, match="links.yaml:1"):
        steelyard.RuleBook.from_text("decisions: 7", "links.yaml")


def test_threads_share_a_book(book):
    facts = {"plan.tensor": numpy.arange(200_000) % 9, "link.kind": "pcie"}
    expected = book.decide_rows("network.fit", facts)["network.fit"].rule
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: book.decide_rows("network.fit", facts)["network.fit"].rule, range(8)):
            assert (found == expected).all()
