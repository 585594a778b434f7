import os

import pytest

from sandbox import Sandbox, start_sandbox


@pytest.fixture(scope="session")
def running_sandbox():
    """One server for all tests; SEO_SANDBOX_URL names one that is started elsewhere, as by Docker Compose."""
    if "SEO_SANDBOX_URL" in os.environ:
        running = Sandbox(os.environ["SEO_SANDBOX_URL"])
        running.wait_until_healthy()
        yield running
        return
    with start_sandbox() as running:
        running.wait_until_healthy()
        yield running


@pytest.fixture
def sandbox(running_sandbox):
    """The sandbox as at the start, for each test."""
    running_sandbox.reset()
    return running_sandbox
