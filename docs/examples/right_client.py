"""Downloads the content of every completed report of an agency, each once: python3 right_client.py [FOLDER]

Run it as often as you like, such as once a day: a report that is already in the folder is not requested again. It exits with 1 if
something is missing, which the next run gets.
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

URL = os.environ["SEO_SANDBOX_URL"]
HEADERS = {"Authorization": f"Bearer {os.environ['SEO_SANDBOX_TOKEN']}", "Accept": "application/json"}
FOLDER = Path(sys.argv[1] if len(sys.argv) > 1 else "reports")

ATTEMPTS = 6
FIRST_PAUSE = 0.5  # seconds
TIMEOUT = 30


class Refused(Exception):
    """The token is refused: no other request would help, and a person has to know."""


class Failed(Exception):
    """The API has not given what was asked, and trying again has not helped."""


def get(path):
    """Reads a path of the API. What may help, it tries again: a 429, a 5xx, a lost connection, a body that is no JSON."""
    attempt = 1
    while True:
        retry_after = None
        try:
            # Links begin with /api/v1: they are resolved against the host.
            request = urllib.request.Request(urljoin(URL, path), headers=HEADERS)
            with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            with error:
                problem = f"{path}: {error.code}"
                retry_after = error.headers["Retry-After"]
                if error.code in (401, 403):
                    raise Refused(problem) from None
                if error.code != 429 and error.code < 500:
                    raise Failed(problem) from None
        # ValueError is what json raises, and HTTPException what a body does that ends too early.
        except (OSError, HTTPException, ValueError) as error:
            problem = f"{path}: {error!r}"
        if attempt == ATTEMPTS:
            raise Failed(problem)
        time.sleep(pause(attempt) if retry_after is None else int(retry_after))
        attempt += 1


def pause(attempt):
    """Half a second, then twice as long each time, and at random up to a half more, so that clients don't come all at once."""
    return FIRST_PAUSE * 2 ** (attempt - 1) * random.uniform(1, 1.5)


def list_projects():
    path = "/api/v1/projects?status=active"
    while path is not None:
        page = get(path)
        yield from page["data"]
        path = page["links"]["next"]


def sync_project(project):
    """Downloads what is completed of a project and not in the folder yet."""
    path = f"/api/v1/projects/{project['id']}/reports"
    for report in get(path)["data"]:
        # A report that is regenerated has another id.
        file = FOLDER / f"{project['id']}-{report['id']}.json"
        if report["status"] == "completed" and not file.exists():
            save(file, get(f"{path}/{report['report_number']}/content"))


def save(file, content):
    """Writes a file as a whole: half of one would look as if it was downloaded."""
    part = file.with_suffix(".part")
    part.write_text(json.dumps(content), encoding="utf-8")
    part.replace(file)


def main():
    is_complete = True
    FOLDER.mkdir(parents=True, exist_ok=True)
    save(FOLDER / "users.json", get("/api/v1/users"))
    for project in list_projects():
        try:
            sync_project(project)
        except Failed as error:
            print(f"{project['name']} is not complete: {error}", file=sys.stderr)
            is_complete = False
    return is_complete


if __name__ == "__main__":
    try:
        sys.exit(0 if main() else 1)
    except (Refused, Failed) as error:
        sys.exit(f"The sync has ended early: {error}")
