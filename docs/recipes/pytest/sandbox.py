"""A running seo-sandbox: where it is, and its control API."""

import json
import os
import shutil
import subprocess
import time
import urllib.request
from contextlib import contextmanager


class Sandbox:
    def __init__(self, url):
        self.url = url
        self.api = f"{url}/api/v1"

    def control(self, method, path, body=None):
        """Sends a request to the control API, and returns what it answers."""
        headers = {"Content-Type": "application/json"}
        if "SANDBOX_ADMIN_KEY" in os.environ:
            headers["Authorization"] = f"Bearer {os.environ['SANDBOX_ADMIN_KEY']}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}/_sandbox{path}", data, headers, method=method)
        with urllib.request.urlopen(request, timeout=10) as response:
            return json.loads(response.read() or "null")

    def reset(self):
        """Records, clocks, policies, faults, rate limits and journal: all as at the start."""
        self.control("POST", "/reset")

    def wait_until_healthy(self, seconds=30):
        deadline = time.monotonic() + seconds
        while True:
            try:
                return self.control("GET", "/health")
            except OSError:
                if time.monotonic() > deadline:
                    raise
            time.sleep(0.1)


@contextmanager
def start_sandbox(*options):
    """Starts a seo-sandbox on a free port, and stops it at the end, even if this process is killed."""
    npx = shutil.which("npx") or "npx"
    command = [npx, "seo-sandbox", "--port", "0", "--quiet", "--stdin-close", *options]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    # Leaving the block closes the server's standard input, which stops it, and waits for its end.
    with subprocess.Popen(command, **pipes) as process:
        base_url = process.stdout.readline().strip()
        if not base_url:
            raise RuntimeError("seo-sandbox did not start: standard error says why.")
        yield Sandbox(base_url.removesuffix("/api/v1"))
