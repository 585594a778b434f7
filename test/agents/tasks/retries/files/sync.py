"""Downloads the finished reports of our agency: python3 sync.py OUT

Reads API_URL, which ends in /api/v1, and API_TOKEN. Writes OUT/<project id>/<report id>.json, each once. Exits with 1 if something is
missing, which the next run gets.
"""

import json
import os
import random
import sys
import time
import urllib.error
import urllib.request
from http.client import HTTPException
from pathlib import Path
from urllib.parse import urljoin

API_URL = os.environ["API_URL"].rstrip("/")
API_TOKEN = os.environ["API_TOKEN"]

ATTEMPTS = 5
FIRST_PAUSE = 0.5  # seconds
TIMEOUT = 30


class Refused(Exception):
    """The token is not accepted."""


class Failed(Exception):
    """The service did not give what was asked for."""


class Temporary(Failed):
    """It may give it later."""


def request(url):
    headers = {"Authorization": f"Bearer {API_TOKEN}", "Accept": "application/json"}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=TIMEOUT) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        with error:
            if error.code in (401, 403):
                raise Refused(f"{url}: {error.code}") from None
            if error.code == 429 or error.code >= 500:
                raise Temporary(f"{url}: {error.code}") from None
            raise Failed(f"{url}: {error.code}") from None
    except (OSError, HTTPException, ValueError) as error:
        raise Temporary(f"{url}: {error!r}") from None


def get(url):
    """Reads a URL, and tries again what may only be a bad moment."""
    for attempt in range(ATTEMPTS):
        try:
            return request(url)
        except Temporary as error:
            if attempt == ATTEMPTS - 1:
                raise
            print(f"{error}, trying again", file=sys.stderr)
            # Twice as long each time, and not all clients at once.
            time.sleep(FIRST_PAUSE * 2**attempt * random.uniform(1, 1.5))


def projects():
    url = f"{API_URL}/projects"
    while url:
        page = get(url)
        yield from page["data"]
        url = page["links"]["next"] and urljoin(url, page["links"]["next"])


def sync_project(project, out):
    url = f"{API_URL}/projects/{project['id']}/reports"
    for report in get(url)["data"]:
        file = out / str(project["id"]) / f"{report['id']}.json"
        if report["status"] != "completed" or file.exists():
            continue
        content = get(f"{url}/{report['report_number']}/content")["data"]
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(".part")
        part.write_text(json.dumps(content), encoding="utf-8")
        part.replace(file)


def main(out):
    missing = 0
    for project in projects():
        try:
            sync_project(project, out)
        except Failed as error:
            print(f"{project['name']}: giving up: {error}", file=sys.stderr)
            missing += 1
    return 1 if missing else 0


if __name__ == "__main__":
    try:
        sys.exit(main(Path(sys.argv[1])))
    except (Refused, Failed) as error:
        sys.exit(f"The sync has ended early: {error}")
