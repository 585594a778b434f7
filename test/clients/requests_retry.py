import os
import sys

import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

session = requests.Session()
session.headers["Authorization"] = f"Bearer {os.environ['SEO_SANDBOX_TOKEN']}"
retry = Retry(total=3, backoff_factor=0.5, status_forcelist=[429, 500, 502, 503, 504])
session.mount("http://", HTTPAdapter(max_retries=retry))

for project in sys.argv[1:]:
    try:
        session.get(f"{os.environ['SEO_SANDBOX_URL']}/api/v1/projects/{project}", timeout=30).json()
    except requests.RequestException:
        pass
