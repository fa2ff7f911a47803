"""Reads metrics from standard input with Prometheus's own Python library, and says what it does not like.

Exits with 1 when a metric comes twice, lacks its type or help, or holds a histogram that is none.
"""

import sys

from prometheus_client.parser import text_string_to_metric_families

seen = set()
for family in text_string_to_metric_families(sys.stdin.read()):
    problems = []
    if family.name in seen:
        problems.append("comes twice")
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
