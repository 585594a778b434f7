"""Writes the active customers of our agency as CSV: python3 customers.py FILE

Reads API_URL, which ends in /api/v1, and API_TOKEN. Exits with 1 if the list could not be read; FILE is then as it was before.
"""

import csv
import json
import os
import random
import sys
import time
import urllib.error
import urllib.request
from http.client import HTTPException
from pathlib import Path
from urllib.parse import urlencode

API_URL = os.environ["API_URL"].rstrip("/")
API_TOKEN = os.environ["API_TOKEN"]

PAGE_SIZE = 250
ATTEMPTS = 6
FIRST_PAUSE = 0.5  # seconds
TIMEOUT = 30


class ApiError(Exception):
    pass


def get(path, query):
    """Reads a path of the API. Tries again what may only be a bad moment, and waits for as long as it is told to."""
    url = f"{API_URL}{path}?{urlencode(query)}"
    headers = {"Authorization": f"Bearer {API_TOKEN}", "Accept": "application/json"}
    for attempt in range(1, ATTEMPTS + 1):
        pause = FIRST_PAUSE * 2 ** (attempt - 1) * random.uniform(1, 1.5)
        try:
            with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=TIMEOUT) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            with error:
                problem = f"{url}: {error.code}"
                if error.code != 429 and error.code < 500:
                    raise ApiError(problem) from None
                if error.headers["Retry-After"]:
                    pause = int(error.headers["Retry-After"])
        except (OSError, HTTPException, ValueError) as error:
            problem = f"{url}: {error!r}"
        if attempt < ATTEMPTS:
            time.sleep(pause)
    raise ApiError(problem)


def active_projects():
    page = 1
    while True:
        projects = get("/projects", {"status": "active", "per_page": PAGE_SIZE, "page": page})["data"]
        yield from projects
        # A page that is not full is the last one.
        if len(projects) < PAGE_SIZE:
            return
        page += 1


def write_csv(file, projects):
    part = file.with_name(file.name + ".part")
    with part.open("w", encoding="utf-8", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow(["project", "customer", "keywords"])
        for project in projects:
            rows.writerow([project["id"], project["name"], project["keyword_count"]])
    part.replace(file)


if __name__ == "__main__":
    try:
        write_csv(Path(sys.argv[1]), list(active_projects()))
    except ApiError as error:
        sys.exit(f"The customers could not be read: {error}")
