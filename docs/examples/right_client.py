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
from urllib.parse import urljoin, urlsplit

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
    """Reads a path of the API. What may help, it tries again: a 408, 429 or 5xx, a lost connection, a body that is no JSON."""
    attempt = 1
    while True:
        retry_after = None
        try:
            return request(path)
        except urllib.error.HTTPError as error:
            with error:
                problem = f"{path}: {error.code}"
                retry_after = error.headers["Retry-After"]
                if error.code == 401 or (error.code == 403 and is_refused()):
                    raise Refused(problem) from None
                if error.code not in (408, 429) and error.code < 500:
                    raise Failed(problem) from None
        # ValueError is what json raises, and HTTPException what a body does that ends too early.
        except (OSError, HTTPException, ValueError) as error:
            problem = f"{path}: {error!r}"
        if attempt == ATTEMPTS:
            raise Failed(problem)
        # It may be rounded down, even to 0.
        time.sleep(pause(attempt) if retry_after is None else max(1, int(retry_after)))
        attempt += 1


def request(path):
    # Links begin with /api/v1, or are absolute. The token is for the host of the API alone.
    url = urljoin(URL, path)
    if urlsplit(url)[:2] != urlsplit(URL)[:2]:
        raise Failed(f"{path} is on another host.")
    with urllib.request.urlopen(urllib.request.Request(url, headers=HEADERS), timeout=TIMEOUT) as response:
        return json.load(response)


def is_refused():
    """A 403 may concern one project alone: `/me` says whether the token itself is refused."""
    try:
        return request("/api/v1/me")["status"] != "active"
    except (OSError, HTTPException, ValueError):
        return True


def pause(attempt):
    """Half a second, then twice as long each time, and at random up to a half more, so that clients don't come all at once."""
    return FIRST_PAUSE * 2 ** (attempt - 1) * random.uniform(1, 1.5)


def get_list(path):
    """A list, from all its pages."""
    while path is not None:
        page = get(path)
        yield from page["data"]
        path = page.get("links", {}).get("next")


def sync_project(project):
    """Downloads what is completed of a project and not in the folder yet."""
    path = f"/api/v1/projects/{project['id']}/reports"
    for report in get_list(path):
        # A report that is regenerated has another id.
        file = FOLDER / f"{project['id']}-{report['id']}.json"
        if report["status"] == "completed" and not file.exists():
            content = get(f"{path}/{report['report_number']}/content")
            # With another id it was regenerated after the list was read: the next run gets it.
            if content["data"]["report_id"] == report["id"]:
                save(file, content)


def save(file, content):
    """Writes a file as a whole: half of one would look as if it was downloaded."""
    part = file.with_suffix(".part")
    part.write_text(json.dumps(content), encoding="utf-8")
    part.replace(file)


def main():
    is_complete = True
    FOLDER.mkdir(parents=True, exist_ok=True)
    save(FOLDER / "users.json", list(get_list("/api/v1/users")))
    # Of every status: a project that is no longer active still has its reports.
    for project in get_list("/api/v1/projects"):
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
