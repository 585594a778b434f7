"""A running seo-sandbox: where it is, and its control API."""

import json
import os
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

# Where the server runs: in this folder or above it, npm has installed seo-sandbox.
FOLDER = Path(__file__).resolve().parent


class Sandbox:
    def __init__(self, url):
        self.url = url
        self.api = f"{url}/api/v1"

    def control(self, method, path, body=None):
        """Sends a request to the control API, and returns what it answers. An error is raised with its message."""
        headers = {"Content-Type": "application/json"}
        if "SEO_SANDBOX_ADMIN_KEY" in os.environ:
            headers["Authorization"] = f"Bearer {os.environ['SEO_SANDBOX_ADMIN_KEY']}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}/_sandbox{path}", data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=10) as response:
                return json.loads(response.read() or "null")
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} /_sandbox{path}: {message_of(error)}") from None

    def reset(self):
        """Records, clocks, policies, faults, rate limits and journal: all as at the start."""
        self.control("POST", "/reset")

    def wait_until_healthy(self, seconds=30):
        deadline = time.monotonic() + seconds
        while True:
            try:
                return self.control("GET", "/health")
            except (OSError, RuntimeError):
                if time.monotonic() > deadline:
                    raise
            time.sleep(0.1)


def message_of(error):
    """What the control API says about an error; the status, where something else has answered."""
    try:
        return json.loads(error.read())["error"]["message"]
    except (ValueError, LookupError, TypeError):
        return str(error)


@contextmanager
def start_sandbox(*options):
    """Starts a seo-sandbox on a free port, and stops it at the end, even if this process is killed."""
    # npx asks the registry for what is not installed, with --no-install too.
    if not any((folder / "node_modules" / "seo-sandbox").exists() for folder in [FOLDER, *FOLDER.parents]):
        raise RuntimeError(f"seo-sandbox is not installed in {FOLDER}: run npm install there.")
    npx = shutil.which("npx") or "npx"
    command = [npx, "--no-install", "seo-sandbox", "--port", "0", "--quiet", "--stdin-close", *options]
    settings = {"cwd": FOLDER, "stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    # Leaving the block closes the server's standard input, which stops it, and waits for its end.
    with subprocess.Popen(command, **settings) as process:
        base_url = process.stdout.readline().strip()
        if not base_url:
            raise RuntimeError("seo-sandbox did not start: standard error says why.")
        yield Sandbox(base_url.removesuffix("/api/v1"))
