"""Floods a server with large requests: rejected logins, flows with long queries, strings that are slow to compare.

usage: attack_bounds.py BASE_URL ADMIN_URL [DATA_FOLDER]
The server registers the schema `person` and allows return addresses below https://app.example.com/.
With the folder of its SQLite database, the growth of the files is checked, too. Prints one line for each attempt and exits
with 1 if one succeeded. The CPU time of a request is only reported, because it depends on the machine.
"""

import http.client
import json
import os
import sys
import urllib.parse

from attack_client import Server, Verdicts

# Enough requests to exceed the limits if they were stored completely.
LOGINS, INITS, SLOW = 400, 1000, 20
# The maximum size of a flow in the database, and of the pages and the write-ahead log around the rows.
ROW, PAGES = 4096, 8_000_000
MARKS = "\u0301\u0316"


class Stream:
    """Requests over one connection."""

    def __init__(self, url):
        address = urllib.parse.urlsplit(url)
        self.connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)

    def send(self, method, path, body=None, kind="application/json"):
        headers = {"Content-Type": kind} if body is not None else {}
        self.connection.request(method, path, body, headers)
        response = self.connection.getresponse()
        return response.status, response.read()


def cpu(server):
    """The CPU time that the server has used, in seconds."""
    text = server.call("GET", "/metrics", admin=True).expect().text
    return next(float(line.split()[1]) for line in text.splitlines() if line.startswith("process_cpu_seconds_total "))


def stored(folder):
    """The bytes of all files in the folder."""
    paths = [os.path.join(root, name) for root, _, names in os.walk(folder) for name in names]
    return sum(os.path.getsize(path) for path in paths)


def flood(verdicts, folder, name, count, request, row=ROW):
    """Sends requests, and checks their responses and the growth of the database."""
    before = stored(folder) if folder else 0
    statuses = {}
    for _ in range(count):
        status = request()
        statuses[status] = statuses.get(status, 0) + 1
    refused = all(status in (200, 400, 410, 429) for status in statuses)
    grown = f"{(stored(folder) - before) / count:.0f} bytes a request" if folder else "bytes not read"
    verdicts.judge(refused, f"{count} {name}: statuses {statuses}, {grown}")
    if folder:
        growth = stored(folder) - before
        verdicts.judge(growth <= count * row + PAGES, f"{growth} bytes stored by {count} {name}")


def refuse_login(server, stream, identifier):
    flow = server.begin("login")
    body = {"method": "password", "identifier": identifier, "password": "Plenty-of-Salt-1"}
    return stream.send("POST", f"{server.base_path}/self-service/login?flow={flow}", json.dumps(body))[0]


def slow_requests(base, flow):
    """Requests of up to 64 KiB that used to take, or could take, up to half a second."""
    text, long = "a" + MARKS * 15_000, "9" * 60_000
    path = f"{base}/self-service/login?flow={flow}"
    raw = lambda members: json.dumps(members, ensure_ascii=False).encode()
    yield "two names of marks", "POST", path, f'{{"{text[:14000]}": 1, "{text[:14000]}b": 2}}'.encode(), None
    for member in ("method", "identifier", "code", "password", "screen"):
        body = {"method": "password", "identifier": "x", "password": "y", member: text}
        yield f"marks in {member}", "POST", path, raw(body), None
    yield "marks in a form", "POST", path, ("method=password&identifier=" + text).encode(), "form"
    yield "marks as the name in a form", "POST", path, (text + "=1").encode(), "form"
    yield "32000 names in a form", "POST", path, b"a&" * 32_000, "form"
    yield "marks in a query", "GET", f"{base}/self-service/login/api?x=" + urllib.parse.quote(text[:1500]), None, None
    yield "digits", "POST", path, f'{{"code": {long}}}'.encode(), None
    names = ",".join(f'"n{number}": 0' for number in range(6000))
    yield "6000 names", "POST", path, ("{" + names + "}").encode(), None
    dotted = ",".join(f'"traits.n{number}": 0' for number in range(3500))
    yield "3500 dotted names", "POST", path, ("{" + dotted + "}").encode(), None
    yield "nested arrays", "POST", path, b"[" * 60_000, None
    yield "composed letters", "POST", path, raw({"method": "password", "identifier": "\ufb2c" * 20_000}), None
    yield "marks within bounds", "POST", path, raw({"method": "password", "password": ("a" + MARKS * 15) * 950}), None


def main(url, admin_url, folder=None):
    server, verdicts, stream = Server(url, admin_url), Verdicts(), Stream(url)
    flood(verdicts, folder, "refused logins of 60 kB", LOGINS, lambda: refuse_login(server, stream, "x" * 60_000))
    flood(verdicts, folder, "refused logins of 320 bytes", 200, lambda: refuse_login(server, stream, "x" * 320))

    filler = "&filler=" + "z" * 14_000
    named = f"{server.base_path}/self-service/login/api?identity_schema=person{filler}"
    returning = f"{server.base_path}/self-service/login/api?return_to=https://app.example.com/{filler}"
    flood(verdicts, folder, "flows of a schema", INITS, lambda: stream.send("GET", named)[0], row=0)
    flood(verdicts, folder, "flows with a return address", INITS, lambda: stream.send("GET", returning)[0])
    status, body = stream.send("GET", returning)
    shown = len(json.loads(body)["request_url"])
    verdicts.judge(status == 200 and shown <= 512, f"a request_url of {shown} bytes from 14 kB")

    flow = server.begin("login")
    for name, method, path, body, kind in slow_requests(server.base_path, flow):
        kind = "application/x-www-form-urlencoded" if kind else "application/json"
        before = cpu(server)
        statuses = {stream.send(method, path, body, kind)[0] for _ in range(SLOW)}
        spent = (cpu(server) - before) / SLOW
        verdicts.judge(statuses <= {200, 400}, f"{name}: {statuses}, {spent * 1000:.1f} ms of CPU a request")

    headers = {"Origin": "https://evil.example"}
    members = {"phoneType": "PRIMARY", "flowType": "REGISTRATION", "flowId": server.begin("registration")}
    phone = {**members, "phoneNumber": "+46701234567"}
    answer = server.call("POST", "/identity/verification/flow/phone", phone, headers=headers)
    verdicts.judge(answer.status == 400, "a text message from a web page", answer)
    verdicts.finish()


if __name__ == "__main__":
    main(*sys.argv[1:])
