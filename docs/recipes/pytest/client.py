"""The code under test: a client that tries again when the API is unavailable."""

import json
import urllib.error
import urllib.request


def get(base_url, path, token="sandbox-unlimited", attempts=2):
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
    request = urllib.request.Request(base_url + path, headers=headers)
    try:
        with urllib.request.urlopen(request) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        if error.code != 503 or attempts == 1:
            raise
        return get(base_url, path, token, attempts - 1)
