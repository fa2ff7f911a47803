"""One of the two Python clients that the publisher of Ory Kratos provides, selected by package name, unmodified.

`ory_client` is the stricter one: it rejects unknown states, and every error id except two that Ory's own cloud sends.
Error envelopes are therefore decoded with the model of their member `error`.
"""

import importlib
import json
import os
import sys
import time
import urllib.parse
import urllib.request
import uuid


def expect(condition, what):
    if not condition:
        print(f"failed: {what}")
        sys.exit(1)
    print(f"ok: {what}")


def same(found, wanted, what):
    expect(found == wanted, f"{what} ({found}, expected {wanted})")


class Person:
    """A new user."""

    def __init__(self):
        number = uuid.uuid4().int % 10**8
        self.email, self.phone = f"person{number}@example.org", f"+4366{number:08}"
        self.password = f"Plenty-of-Salt-{number}"
        self.traits = {"email": self.email, "phone": self.phone}


class Refusal:
    """A rejection whose body is not a flow."""

    def __init__(self, models, body):
        members = json.loads(body)
        self.error = models.GenericError.from_dict(members.pop("error"))
        self.members = members


class PublishedClient:
    def __init__(self, package, base_url, admin_url=None):
        self.package = importlib.import_module(package)
        self.models = importlib.import_module(package + ".models")
        self.admin_url = admin_url
        self.frontend = self.package.FrontendApi(self._client(base_url))
        self.identities = self.package.IdentityApi(admin_client(self.package, admin_url) if admin_url else self._client(base_url))
        self._seen = set()

    def _client(self, url):
        return self.package.ApiClient(self.package.Configuration(host=url))

    def begin(self, kind, **arguments):
        flow = getattr(self.frontend, f"create_native_{kind}_flow")(**arguments)
        expect(flow.type == "api" and flow.ui.nodes, f"a {kind} begins")
        return flow

    def get(self, kind, flow, **arguments):
        return getattr(self.frontend, f"get_{kind}_flow")(id=str(flow), **arguments)

    def submit(self, kind, flow, token=None, **members):
        method = members["method"].title()
        if (kind, method) == ("login", "Code"):
            members.setdefault("csrf_token", "")
        submission = getattr(self.models, f"Update{kind.title()}FlowWith{method}Method")(**members)
        body = getattr(self.models, f"Update{kind.title()}FlowBody")(submission)
        arguments = {"flow": str(flow), f"update_{kind}_flow_body": body}
        if token:
            arguments["_headers"] = {"X-Session-Token": token}
        return getattr(self.frontend, f"update_{kind}_flow")(**arguments)

    def refused(self, status, call, what):
        """Expects a rejection in Kratos's envelope, and returns it."""
        error = self._error(status, call, what)
        refusal = Refusal(self.models, error.body)
        if self.package.__name__ == "ory_kratos_client" or refusal.error.id is None:
            self.models.ErrorGeneric.from_json(error.body)
        return refusal

    def step(self, kind, flow, what, token=None, **members):
        """Submits data after which the flow continues: the response is a 400 with the flow, which the client decodes."""
        error = self._error(400, lambda: self.submit(kind, flow, token, **members), f"{kind}: {what}")
        model = getattr(self.models, f"{kind.title()}Flow")
        expect(isinstance(error.data, model), "the response contains the flow")
        return error.data

    def _error(self, status, call, what):
        try:
            call()
        except self.package.ApiException as error:
            same(error.status, status, f"{what} is rejected")
            return error
        expect(False, f"{what} is rejected with {status}")

    def code(self, address):
        """Returns the code that the development courier has sent to an address since the previous call."""
        query = urllib.parse.urlencode({"recipient": address})
        for _ in range(1000):
            request = urllib.request.Request(
                f"{self.admin_url}/courier/messages?{query}", headers={"Authorization": f"Bearer {admin_token()}"}
            )
            with urllib.request.urlopen(request) as answer:
                sent = [message for message in json.load(answer) if "code" in message]
            fresh = [message for message in sent if message["id"] not in self._seen]
            if fresh:
                self._seen.update(message["id"] for message in sent)
                return fresh[-1]["code"]
            time.sleep(0.01)
        expect(False, f"a code is sent to {address}")


def admin_token():
    return os.environ["LATCHKEY_ADMIN_TOKEN"]


def admin_client(package, url):
    """Returns a client of the admin listener, with the token in the setting that the package provides for it."""
    if package.__name__ == "ory_client":
        return package.ApiClient(package.Configuration(host=url, access_token=admin_token()))
    setting = {"api_key": {"oryAccessToken": admin_token()}, "api_key_prefix": {"oryAccessToken": "Bearer"}}
    return package.ApiClient(package.Configuration(host=url, **setting))


def wrong(code):
    return "000000" if code != "000000" else "000001"


def messages(flow):
    return [message.id for message in flow.ui.messages or []]


def node(flow, name, kind=None):
    """Returns the node with a name; the input type distinguishes several nodes with the same name."""
    for each in flow.ui.nodes:
        attributes = each.attributes.actual_instance
        if getattr(attributes, "name", None) == name and kind in (None, attributes.type):
            return each
    expect(False, f"there is a node {name}")


def beside(flow, name):
    return [message.id for message in node(flow, name).messages]


def actions(items):
    return [item.actual_instance.action for item in items or []]
