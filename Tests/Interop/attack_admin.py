"""Uses the admin listener as a web page, as a program that guesses the token, and as a program without a token.

usage: attack_admin.py BASE_URL ADMIN_URL [open]
With "open" the server is configured with admin.open. The token of the server is in LATCHKEY_ADMIN_TOKEN.
Prints one line for each attempt and exits with 1 if one succeeded.
"""

import concurrent.futures
import http.client
import json
import sys
import time
import urllib.parse

from attack_client import Answer, Person, Server, Verdicts

# The maximum number of responses that a server delays at the same time.
MOST_DELAYED = 64
DELAY = 1

PATHS = [
    "/admin/identities", "/admin/sessions", "/admin/audit", "/admin/courier/messages", "/courier/messages",
    "/metrics", "/metrics/prometheus", "/openapi.json", "/nowhere",
    "//admin/identities", "/health/alive/../../admin/identities", "/schemas/../admin/identities",
    "/schemas/%2e%2e/admin/identities", "/version/../admin/identities", "/Health/alive/",
]
FOREIGN_HOSTS = [
    "rebind.evil.example", "rebind.evil.example:4434", "127.0.0.1.evil.example", "localhost.evil.example",
    "127.evil.example", "127.1", "2130706433", "0x7f.0.0.1", "0.0.0.0", "[::2]:4434", "127.0.0.1:evil",
    "localhost@evil.example", "evil.example:80:127.0.0.1", "[localhost]", "::1", "",
]
FORMS = ["text/plain", "text/plain;application/json", "application/x-www-form-urlencoded", "multipart/form-data", None]


class Listener:
    """The admin listener, for requests with full control over the header fields."""

    def __init__(self, server):
        address = urllib.parse.urlsplit(server.admin_url)
        self.host, self.port, self.token = address.hostname, address.port, server.admin_token
        self.local = f"localhost:{self.port}"

    def send(self, method, path, headers=(), body=None, host=None):
        """Sends a request with only these fields; a host of "" sends an empty Host, and False omits the field."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        fields = list(dict(headers).items())
        if host is not False:
            fields.insert(0, ("Host", self.local if host is None else host))
        if body is not None:
            fields.append(("Content-Length", str(len(body))))
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in fields:
                for each in value if isinstance(value, list) else [value]:
                    connection.putheader(name, each)
            connection.endheaders(body)
            response = connection.getresponse()
            return Answer(f"{method} {path} {fields}", response.status, response.headers, response.read())
        finally:
            connection.close()

    def bearer(self, token=None):
        return {"Authorization": f"Bearer {token or self.token}"}


def identity(person):
    """Returns an identity as JSON in a form that a web page's form can also send."""
    return json.dumps({"schema_id": "person", "traits": person.traits}).encode()


def is_known(server, person):
    query = "/identities?" + urllib.parse.urlencode({"credentials_identifier": person.email})
    return bool(server.admin("GET", query).expect().body)


def at_once(attempts):
    """Makes concurrent attempts, fewer than the server delays, and returns the responses in order."""
    with concurrent.futures.ThreadPoolExecutor(MOST_DELAYED // 2) as pool:
        return list(pool.map(lambda attempt: attempt(), attempts))


def refuse_all(verdicts, attempts, status=401):
    """Makes attempts, all of which must get the given status."""
    names, calls = zip(*attempts)
    for name, answer in zip(names, at_once(calls)):
        verdicts.judge(answer.status == status, name, answer)


def without_token(listener, verdicts):
    attempts = [(f"{path} without a token", lambda path=path: listener.send("GET", path)) for path in PATHS]
    hosts = ["rebind.evil.example", listener.local]
    attempts += [
        (f"a rebound page as {host}", lambda host=host: listener.send("GET", "/admin/identities", {"Origin": "http://" + host}, host=host))
        for host in hosts
    ]
    attempts += [("a preflight request", lambda: listener.send("OPTIONS", "/admin/identities", {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}))]
    refuse_all(verdicts, attempts)
    for path in ("/health/alive", "/health/ready", "/version", "/schemas", "/schemas/person"):
        answer = listener.send("GET", path, host="rebind.evil.example")
        verdicts.judge(answer.status == 200, f"a refusal of {path}, which needs no token", answer)


def guesses(listener):
    token = listener.token
    fields = {
        "an empty token": "Bearer ",
        "no credentials": "Bearer",
        "a guess": "Bearer x",
        "a token of zeros": "Bearer " + "0" * len(token),
        "a part of the token": "Bearer " + token[:-1],
        "the token with a suffix": f"Bearer {token}x",
        "the token in a different case": "Bearer " + token.swapcase(),
        "the token without its scheme": token,
        "the token with another scheme": f"Basic {token}",
        "two tokens in one field": f"Bearer {token}, Bearer {token}",
        "two fields": ["Bearer x", f"Bearer {token}"],
    }
    attempts = [
        (name, lambda field=field: listener.send("GET", "/admin/identities", {"Authorization": field}))
        for name, field in fields.items()
    ]
    attempts += [
        (f"the token in the query as {name}", lambda name=name: listener.send("GET", f"/admin/identities?{name}={token}"))
        for name in ("access_token", "token", "bearer_token")
    ]
    for name in ("X-Session-Token", "X-Admin-Token", "Cookie", "Proxy-Authorization"):
        attempts += [(f"the token as {name}", lambda name=name: listener.send("GET", "/admin/identities", {name: token}))]
    return attempts


def cross_site_posts(server, listener, verdicts, status, **headers):
    """Submits forms of a web page, which browsers send without a preflight request."""
    for media_type in FORMS:
        person = Person()
        fields = {"Content-Type": media_type} if media_type else {}
        answer = listener.send("POST", "/admin/identities", {**fields, **headers}, identity(person))
        isHeld = answer.status == status and not is_known(server, person)
        verdicts.judge(isHeld, f"a post of {media_type} with {sorted(headers)}", answer)


def flood(server, listener, verdicts):
    """Makes many concurrent guesses: they are delayed or rejected at once, and callers with the token are not affected."""
    def guess(number):
        start = time.monotonic()
        answer = listener.send("GET", "/admin/identities", listener.bearer(f"guess-{number:032}"))
        return answer, time.monotonic() - start

    count = 3 * MOST_DELAYED
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        pending = [pool.submit(guess, number) for number in range(count)]
        meanwhile = [server.admin("GET", "/identities") for _ in range(20)]
        results = [each.result() for each in pending]
    for answer, _ in results:
        if answer.status not in (401, 429):
            verdicts.judge(False, "a guess of the token", answer)
    # The tolerance is needed because the server and this script start their clocks at different moments.
    early = [answer for answer, seconds in results if answer.status == 401 and seconds < DELAY - 0.1]
    verdicts.judge(not early, f"{count} concurrent guesses, each answered late", results[0][0])
    served = all(answer.status == 200 for answer in meanwhile)
    verdicts.judge(served, "a lock-out of callers with the token by guesses", meanwhile[-1])


def with_token(server, listener, verdicts):
    answer = listener.send("GET", "/admin/identities", listener.bearer(), host="admin.internal:4434")
    verdicts.judge(answer.status == 200, "a rejection of the token with another host", answer)
    answer = listener.send("GET", "/admin/identities", {"authorization": f"bEARER {listener.token}"})
    verdicts.judge(answer.status == 200, "a rejection of the token with its scheme in a different case", answer)
    cross_site_posts(server, listener, verdicts, 415, **listener.bearer())
    for media_type in ("application/json", "Application/JSON ; charset=utf-8", "application/json-patch+json"):
        person = Person()
        fields = {"Content-Type": media_type, **listener.bearer()}
        answer = listener.send("POST", "/admin/identities", fields, identity(person))
        verdicts.judge(answer.status == 201 and is_known(server, person), f"a rejection of {media_type}", answer)


def traces(server, verdicts, least):
    """Checks how the attempts appear to the operator."""
    text = server.call("GET", "/metrics", admin=True).expect().text
    counts = [line for line in text.splitlines() if line.startswith("latchkey_admin_refusals_total{")]
    total = sum(float(line.split()[-1]) for line in counts)
    verdicts.judge(total >= least, f"attempts that are not counted; only {total:.0f} are", None)
    events = [event for event in server.admin("GET", "/audit").expect().body if event["action"] == "admin.refused"]
    verdicts.judge(len(events) == 1, f"attempts that are not sampled for the audit log; only {len(events)} are", None)
    is_hidden = server.admin_token not in text + json.dumps(events)
    verdicts.judge(is_hidden, "the token in the output of the server", None)


def closed(server, listener, verdicts):
    without_token(listener, verdicts)
    refuse_all(verdicts, guesses(listener))
    cross_site_posts(server, listener, verdicts, 401, Origin="https://evil.example")
    cross_site_posts(server, listener, verdicts, 401)
    with_token(server, listener, verdicts)
    flood(server, listener, verdicts)
    traces(server, verdicts, len(PATHS) + len(guesses(listener)))


def opened(server, listener, verdicts):
    """Checks the listener with admin.open: it serves programs on this machine, but not web pages."""
    for host in (f"localhost:{listener.port}", "LOCALHOST", f"127.0.0.1:{listener.port}", "127.9.9.9", "[::1]:4434", "[::1]"):
        answer = listener.send("GET", "/admin/identities", host=host)
        verdicts.judge(answer.status == 200, f"a refusal of a program of this machine as {host}", answer)
    person = Person()
    listener.send("POST", "/admin/identities", {"Content-Type": "application/json"}, identity(person)).expect(201)
    listener.send("GET", "/admin/identities", {"Sec-Fetch-Site": "none"}).expect()

    attempts = [
        (f"the host {host!r}", lambda host=host: listener.send("GET", "/admin/identities", host=host))
        for host in FOREIGN_HOSTS
    ]
    for origin in ("https://evil.example", "null", f"http://{listener.local}", ""):
        attempts += [(f"the origin {origin!r}", lambda origin=origin: listener.send("GET", "/courier/messages", {"Origin": origin}))]
    for site in ("cross-site", "same-site", "same-origin", ["none", "cross-site"]):
        attempts += [(f"a fetch that is {site}", lambda site=site: listener.send("GET", "/courier/messages", {"Sec-Fetch-Site": site}))]
    refuse_all(verdicts, attempts + guesses(listener)[:11])
    cross_site_posts(server, listener, verdicts, 401, Origin="https://evil.example")
    # Programs that send forms, or a browser that omits the origin.
    cross_site_posts(server, listener, verdicts, 415)
    traces(server, verdicts, len(attempts))


def main(url, admin_url, mode=None):
    server, verdicts = Server(url, admin_url), Verdicts()
    (opened if mode == "open" else closed)(server, Listener(server), verdicts)
    verdicts.finish()


if __name__ == "__main__":
    main(*sys.argv[1:])
