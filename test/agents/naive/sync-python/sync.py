import json
import os
import sys
import urllib.request
from pathlib import Path


def get(path):
    headers = {"Authorization": f"Bearer {os.environ['API_TOKEN']}"}
    with urllib.request.urlopen(urllib.request.Request(os.environ["API_URL"] + path, headers=headers)) as response:
        return json.load(response)["data"]


for project in get("/projects"):
    for report in get(f"/projects/{project['id']}/reports"):
        if report["status"] == "completed":
            content = get(f"/projects/{project['id']}/reports/{report['report_number']}/content")
            file = Path(sys.argv[1]) / str(project["id"]) / f"{report['id']}.json"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(content))
