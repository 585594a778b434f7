"""Downloads the content of each completed report once: python3 sync.py OUT"""

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
HEADERS = {"Authorization": f"Bearer {os.environ['API_TOKEN']}", "Accept": "application/json"}
ATTEMPTS = 6


class Refused(Exception):
    pass


class Failed(Exception):
    pass


def get(url):
    for attempt in range(ATTEMPTS):
        pause = 0.2 * 2**attempt * random.uniform(1, 1.5)
        try:
            with urllib.request.urlopen(urllib.request.Request(url, headers=HEADERS), timeout=30) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            with error:
                problem = f"{url}: {error.code}"
                if error.code in (401, 403):
                    raise Refused(problem) from None
                if error.code not in (408, 429) and error.code < 500:
                    raise Failed(problem) from None
                pause = int(error.headers["Retry-After"] or 0) or pause
        except (OSError, HTTPException, ValueError) as error:
            problem = f"{url}: {error!r}"
        if attempt < ATTEMPTS - 1:
            time.sleep(pause)
    raise Failed(problem)


def list_projects():
    url = f"{API_URL}/projects"
    while url:
        page = get(url)
        yield from page["data"]
        url = page["links"]["next"] and urljoin(url, page["links"]["next"])


def sync_project(project, out):
    url = f"{API_URL}/projects/{project}/reports"
    for report in get(url)["data"]:
        file = out / str(project) / f"{report['id']}.json"
        if report["status"] == "completed" and not file.exists():
            content = get(f"{url}/{report['report_number']}/content")
            file.parent.mkdir(parents=True, exist_ok=True)
            part = file.with_suffix(".part")
            part.write_text(json.dumps(content["data"]), encoding="utf-8")
            part.replace(file)


def main(out):
    code = 0
    for project in list_projects():
        try:
            sync_project(project["id"], out)
        except Failed as error:
            print(f"{project['name']}: {error}", file=sys.stderr)
            code = 1
    return code


try:
    sys.exit(main(Path(sys.argv[1])))
except (Refused, Failed) as error:
    sys.exit(f"The sync has ended early: {error}")
