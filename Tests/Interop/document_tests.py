"""Sends requests that schemathesis generates from a server's OpenAPI documents, and checks the responses against them.

usage: document_tests.py BASE_URL ADMIN_URL SEED EXAMPLES
BASE_URL is the address of the self-service API, EXAMPLES the number of random requests per operation. Most requests
contain real IDs, flows and tokens, and some bodies are valid; otherwise all requests would be rejected early.
Prints the findings and the number of responses by operation and status, and exits with 1 if there are any findings.
"""

import itertools
import os
import sys
import tempfile

import requests
import schemathesis
from schemathesis.cli import schemathesis as command
from schemathesis.core import NotSet

CHECKS = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "response_headers_conformance",
    "unsupported_method",
]
KINDS = ("login", "registration", "settings", "recovery", "verification")
# Strings that parsers, databases and C libraries interpret differently.
ODDITIES = ["\0", "a\0b", "x" * 5000, "\u202e\ufeff\u0301", "'; DROP TABLE flows; --", "%00", "9" * 400, "\r\nA: b", "{{code}}"]
PASSWORD = "correct-Horse-7-battery"


class World:
    """The objects that requests can refer to: users, their sessions and their flows."""

    def __init__(self, base, admin):
        self.base, self.admin = base, admin
        self.http = requests.Session()
        self.authorization = {"Authorization": f"Bearer {os.environ['LATCHKEY_ADMIN_TOKEN']}"}
        self.numbers = itertools.count()
        self.people = {}

    def traits(self):
        number = next(self.numbers)
        return {"email": f"somebody{number}@example.org", "phone": f"+46{700000000 + number}"}

    def login(self):
        """Creates an account and logs in to it."""
        traits = self.traits()
        password = {"config": {"password": PASSWORD}}
        made = self.http.post(
            self.admin + "/admin/identities",
            json={"schema_id": "person", "traits": traits, "credentials": {"password": password}},
            headers=self.authorization,
        )
        made.raise_for_status()
        person = {"identity": made.json()["id"], **traits}
        answer = self.http.post(
            f"{self.base}/self-service/login?flow={self.flow('login')}", json=self.body("login", person)
        )
        answer.raise_for_status()
        answer = answer.json()
        return {"token": answer["session_token"], "session": answer["session"]["id"], **person}

    def person(self, place):
        """Returns a logged-in user, who is replaced regularly, because requests end sessions and delete users."""
        uses, person = self.people.get(place, (0, None))
        if person is None or uses % 8 == 0 or not self.lives(person):
            person = self.login()
        self.people[place] = (uses + 1, person)
        return person

    def lives(self, person):
        headers = {"X-Session-Token": person["token"]}
        return self.http.get(self.base + "/sessions/whoami", headers=headers).status_code == 200

    def flow(self, kind, person=None):
        headers = {"X-Session-Token": person["token"]} if person else {}
        begun = self.http.get(f"{self.base}/self-service/{kind}/api", headers=headers)
        begun.raise_for_status()
        return begun.json()["id"]

    def body(self, kind, person):
        """Returns values with which a flow can continue."""
        match kind:
            case "login":
                return {"method": "password", "identifier": person["email"], "password": PASSWORD}
            case "registration":
                return {"method": "password", "password": PASSWORD, "traits": self.traits()}
            case "settings":
                return {"method": "profile", "traits": self.traits()}
            case _:
                return {"method": "code", "email": person["email"]}


    def whole(self, method, path, person):
        """Returns a valid body for operations for which most generated bodies are invalid."""
        kind = next((kind for kind in KINDS if path.endswith(f"/self-service/{kind}")), None)
        if kind:
            return self.body(kind, person)
        if (method, path) in (("POST", "/admin/identities"), ("PUT", "/admin/identities/{id}")):
            return {"schema_id": "person", "traits": self.traits(), "external_id": "", "metadata_admin": ""}
        return None


def disturb(value, oddity):
    """Returns the value with an unusual string in place of an empty placeholder, or else of one of its strings."""
    if isinstance(value, dict) and "" in value.values():
        return {name: text if text != "" else oddity for name, text in value.items()}
    if isinstance(value, str):
        return oddity
    if isinstance(value, dict) and value:
        name = sorted(value, key=str)[len(oddity) % len(value)]
        return {**value, name: disturb(value[name], oddity)}
    if isinstance(value, list) and value:
        return [disturb(value[0], oddity)] + value[1:]
    return value


def watch(world):
    """Inserts real values into requests, and counts the responses."""
    turns = itertools.count()
    oddities = {}
    statuses = {}

    @schemathesis.hook
    def before_call(context, case, kwargs):
        turn = next(turns) % 4
        if turn == 3:
            return  # Sent as generated.
        path = case.operation.path
        kind = next((kind for kind in KINDS if f"/self-service/{kind}" in path), None)
        is_own = kind == "settings" or "/sessions" in path or "/pki/" in path
        person = None
        if kind or is_own or any(part in path for part in ("/identities", "/recovery/code", "/logout")):
            person = world.person(path)
        if is_own:
            case.headers["X-Session-Token"] = person["token"]
        name = "id" if path.endswith("/flows") else "flow"
        if kind and isinstance(case.query, dict) and name in case.query:
            case.query[name] = world.flow(kind, person if kind == "settings" else None)
        if person and isinstance(case.path_parameters, dict) and "id" in case.path_parameters:
            case.path_parameters["id"] = person["session" if "/sessions/{id}" in path else "identity"]
        if isinstance(case.body, dict):
            if kind and turn == 0 and case.media_type == "application/json":
                case.body = world.body(kind, person)
            # They are generated even where they are not required.
            if person and "identity_id" in case.body:
                case.body["identity_id"] = person["identity"]
            if person and "session_token" in case.body:
                case.body["session_token"] = person["token"]
            if "flowId" in case.body:
                case.body["flowId"] = world.flow("registration")
            if path.endswith("/admin/identities") and turn == 0:
                case.body = {"schema_id": "person", "traits": world.traits()}
        if turn == 1:
            oddity = next(oddities.setdefault(case.operation.label, itertools.cycle(ODDITIES)))
            case.body = disturb(world.whole(case.operation.method.upper(), path, person) or case.body, oddity)
            names = [parameter.name for parameter in case.operation.query if parameter.name not in ("flow", "id")]
            if names and isinstance(case.body, NotSet):
                case.query = {**case.query, names[len(oddity) % len(names)]: oddity}

    @schemathesis.hook
    def after_call(context, case, response):
        counts = statuses.setdefault(f"{case.operation.method.upper()} {case.operation.path}", {})
        counts[response.status_code] = counts.get(response.status_code, 0) + 1

    return statuses


def main(base, admin, seed, examples):
    world = World(base, admin)
    statuses = watch(world)
    found = False
    # The public listener would interpret the admin token as a session token.
    authorization = ["--header", f"Authorization: {world.authorization['Authorization']}"]
    for document, headers in ((base + "/openapi.json", []), (admin + "/openapi.json", authorization)):
        print(document)
        try:
            command.main(
                prog_name="schemathesis",
                args=["run", document, "--checks", ",".join(CHECKS), "--phases", "fuzzing", "--seed", seed]
                + ["--max-examples", examples, "--generation-database", "none", "--no-shrink", "--no-color"]
                + ["--continue-on-failure", "--suppress-health-check", "all", "--warnings", "off"]
                + ["--max-redirects", "0", "--request-timeout", "20"]
                + headers,
            )
        except SystemExit as end:
            found = found or bool(end.code)
    for place, counts in sorted(statuses.items()):
        print(place, dict(sorted(counts.items())))
    if found:
        sys.exit(1)
    print("all steps passed")


# schemathesis writes files to its working folder.
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main(*sys.argv[1:])
