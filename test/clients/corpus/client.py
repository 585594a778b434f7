"""A client of the corpus for Python: see README.md."""

import http.client
import json
import os
import queue
import random
import sys
import threading
import time
import urllib.error
import urllib.request
from urllib.parse import urlsplit

import requests

URL = os.environ["SEO_SANDBOX_URL"]
HEADERS = dict(line.split(": ") for line in os.environ["CLIENT_HEADERS"].splitlines())
LIBRARY = os.environ["CLIENT_LIBRARY"]
RETRY = os.environ["CLIENT_RETRY"]
TIMEOUT = 10
own = threading.local()


def send_urllib(path):
    request = urllib.request.Request(URL + path, headers=HEADERS)
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
            return response.status, None, response.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers["Retry-After"], b""


def send_http_client(path):
    if not hasattr(own, "connection"):
        own.connection = http.client.HTTPConnection(urlsplit(URL).netloc, timeout=TIMEOUT)
    try:
        own.connection.request("GET", path, headers=HEADERS)
        response = own.connection.getresponse()
        return response.status, response.headers["Retry-After"], response.read()
    except Exception:
        own.connection.close()
        raise


def send_requests(path):
    response = requests.get(URL + path, headers=HEADERS, timeout=TIMEOUT)
    return response.status_code, response.headers.get("Retry-After"), response.content


def send_session(path):
    if not hasattr(own, "session"):
        own.session = requests.Session()
        own.session.headers.update(HEADERS)
    response = own.session.get(URL + path, timeout=TIMEOUT)
    return response.status_code, response.headers.get("Retry-After"), response.content


LIBRARIES = {
    "urllib": send_urllib,
    "http.client": send_http_client,
    "requests": send_requests,
    "session": send_session,
}


def send(path):
    """Sends a request; status 0 if there is no response that can be read."""
    try:
        status, retry_after, content = LIBRARIES[LIBRARY](path)
        return status, retry_after, json.loads(content) if status == 200 else None
    except (OSError, http.client.HTTPException, requests.RequestException, ValueError):
        return 0, None, None


def read(path):
    """Reads a path as CLIENT_RETRY says; None if there is nothing to read."""
    for attempt in range(1, 9):
        status, retry_after, body = send(path)
        if body is not None or RETRY == "none":
            return body
        if status in (401, 403) and RETRY != "stubborn":
            os._exit(1)
        if status not in (0, 408, 429) and status < 500 and RETRY != "stubborn":
            return None
        seconds = pause_after(attempt, retry_after)
        # The client leaves a longer wait to another day.
        if seconds > 5:
            os._exit(1)
        time.sleep(seconds)
    return None


def pause_after(attempt, retry_after):
    if RETRY in ("flat", "stubborn"):
        return 0.3
    if retry_after is not None and RETRY != "impatient":
        return float(retry_after)
    return 0.3 * 3 ** (attempt - 1) * random.uniform(1, 1.5)


def step(word):
    if word.startswith("sleep:"):
        time.sleep(float(word[6:]))
    elif word.startswith("next:"):
        path = word[5:]
        while path:
            page = read(path)
            path = page and page["links"]["next"]
    else:
        read(word)


words = queue.SimpleQueue()
for argument in sys.argv[1:]:
    words.put(argument)


def work():
    while True:
        try:
            step(words.get_nowait())
        except queue.Empty:
            return


workers = [threading.Thread(target=work) for _ in range(int(os.environ["CLIENT_WORKERS"]))]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
