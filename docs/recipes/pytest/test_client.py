from urllib.error import HTTPError

import pytest

from client import get

UNAVAILABLE = {"kind": "status", "status": 503}


def test_a_request_is_repeated_once(sandbox):
    sandbox.control("POST", "/faults", {**UNAVAILABLE, "schedule": {"first": 1}})
    assert len(get(sandbox.api, "/projects")["data"]) > 0
    expected = {"requests": {"route": "GET /projects"}, "times": 2}
    verdict = sandbox.control("POST", "/verify", expected)
    assert verdict["passed"], verdict["message"]


def test_a_second_failure_is_reported(sandbox):
    sandbox.control("POST", "/faults", UNAVAILABLE)
    with pytest.raises(HTTPError, match="503"):
        get(sandbox.api, "/projects")


def test_each_test_starts_without_the_faults_of_the_others(sandbox):
    assert sandbox.control("GET", "/requests") == []
    assert get(sandbox.api, "/me", attempts=1)["status"] == "active"


def test_a_mistake_in_a_test_is_explained(sandbox):
    with pytest.raises(RuntimeError, match='Did you mean "schedule"'):
        sandbox.control("POST", "/faults", {**UNAVAILABLE, "schedul": {"first": 1}})


def test_the_month_can_be_chosen(sandbox):
    sandbox.control("POST", "/clock", {"now": "2026-04-01", "frozen": True})
    assert get(sandbox.api, "/projects")["cache_refreshed_at"].startswith("2026-04-01")
