"""Scrapes metrics as Prometheus does, parses them with Prometheus's own Python library, and reports errors.

usage: metrics_reader.py URL [TOKEN]
Exits with 1 if there is no response, or a metric is duplicated, lacks its type or help, or is an invalid histogram.
"""

import sys
import urllib.request

from prometheus_client.parser import text_string_to_metric_families

# The header field that Prometheus 3 sends.
ACCEPT = (
    "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
    "application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,"
    "text/plain;version=0.0.4;q=0.3,*/*;q=0.2"
)


def scrape(url, token=None):
    headers = {"Accept": ACCEPT, "User-Agent": "Prometheus/3.5.0", "X-Prometheus-Scrape-Timeout-Seconds": "10"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=10) as answer:
        media_type = answer.headers["Content-Type"]
        if media_type != "text/plain; version=0.0.4; charset=utf-8":
            sys.exit(f"the metrics have the media type {media_type}")
        return answer.read().decode()


text = scrape(*sys.argv[1:])
seen = set()
for family in text_string_to_metric_families(text):
    problems = []
    if family.name in seen:
        problems.append("is listed twice")
    seen.add(family.name)
    if family.type == "unknown" or not family.documentation:
        problems.append("has no type or help")
    if family.type == "histogram":
        buckets = {}
        for sample in family.samples:
            labels = {name: value for name, value in sample.labels.items() if name != "le"}
            buckets.setdefault((sample.name.removeprefix(family.name), tuple(sorted(labels.items()))), []).append(sample)
        for (suffix, labels), samples in buckets.items():
            if suffix == "_bucket":
                values = [sample.value for sample in samples]
                count = buckets[("_count", labels)][0].value
                if values != sorted(values) or samples[-1].labels["le"] != "+Inf" or values[-1] != count:
                    problems.append(f"has buckets that do not add up: {labels}")
    for problem in problems:
        print(f"{family.name} {problem}")
        sys.exit(1)
print(f"{len(seen)} metrics")
