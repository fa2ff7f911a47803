"""A client for the attack scripts: requests over sockets, accounts, codes from the outbox, device keys, verdicts.

It uses only Python's standard library and OpenSSL's command-line tool.
"""

import atexit
import base64
import http.client
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse
import uuid

CERTIFICATES = "/identity/pki/client/certificates"
EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"


class Verdicts:
    """The results of the attempted attacks, one line each."""

    def __init__(self):
        self.broken = 0

    def judge(self, holds, attack, answer=None):
        """Prints whether the server withstood an attack; with the exchange if it did not."""
        if holds:
            print(f"held: {attack}" + (f" ({answer.summary})" if answer else ""), flush=True)
        else:
            self.broken += 1
            print(f"BROKEN: {attack}" + (f"; {answer}" if answer else ""), flush=True)

    def finish(self):
        """Exits with 1 if an attack succeeded."""
        if self.broken:
            print(f"{self.broken} attacks succeeded")
            sys.exit(1)
        print("all steps passed")


class Answer:
    """A response, with the request that led to it."""

    # The maximum number of characters of a request and of its response that are printed.
    LIMIT = 600

    def __init__(self, request, status, headers, content):
        self.request, self.status, self.headers = request, status, headers
        self.text = content.decode()
        self.body = json.loads(self.text) if self.text.startswith(("{", "[")) else {}

    def __str__(self):
        return f"{self.request[: self.LIMIT]} -> {self.status} {self.text[: self.LIMIT]}"

    def get(self, *names):
        """A member of the body by its path, or None."""
        value = self.body
        for name in names:
            value = value.get(name) if isinstance(value, dict) else None
        return value

    @property
    def summary(self):
        """The status, the id of the error and the ids of the messages."""
        details = [self.get("error", "id"), *self.messages]
        return " ".join(str(part) for part in [self.status, *details] if part is not None)

    @property
    def messages(self):
        """The ids of the messages of a form and of its fields."""
        form = self.get("ui") or {}
        lists = [form.get("messages") or []] + [node.get("messages") or [] for node in form.get("nodes") or []]
        return [message["id"] for messages in lists for message in messages]

    @property
    def session_token(self):
        """The token of the session that the response opens, or None."""
        for item in self.get("continue_with") or []:
            if item["action"] == "set_ory_session_token":
                return item["ory_session_token"]
        return self.get("session_token")

    @property
    def verifications(self):
        """The flows that wait for codes, keyed by address."""
        flows = [item["flow"] for item in self.get("continue_with") or [] if item["action"] == "show_verification_ui"]
        return {flow["verifiable_address"]: flow["id"] for flow in flows}

    def expect(self, status=200):
        """Exits unless the status is the expected one, because further results would be meaningless."""
        if self.status != status:
            sys.exit(f"a step before the attack failed: expected {status}; {self}")
        return self


class Person:
    """Traits and a password that no other account has."""

    def __init__(self, email=None):
        number = uuid.uuid4().int % 10**8
        self.email, self.phone = email or f"person{number}@example.org", f"+4366{number:08}"
        self.password, self.passcode = f"Plenty-of-Salt-{number}", f"{number:08}"
        self.token = self.identity = None

    @property
    def traits(self):
        return {"email": self.email, "phone": self.phone}


class Server:
    """A server, identified by the addresses of its two listeners."""

    def __init__(self, url, admin_url, base_path="/a", address=None):
        self.url, self.admin_url, self.base_path, self.address = url, admin_url, base_path, address
        self.admin_token = os.environ["LATCHKEY_ADMIN_TOKEN"]
        self._seen = set()

    def seen_from(self, address):
        """The same server for a client with another network address; loopback must be a trusted proxy."""
        server = Server(self.url, self.admin_url, self.base_path, address)
        server._seen = self._seen
        return server

    # Requests

    def call(self, method, path, value=None, token=None, headers=None, admin=False):
        """Sends a request on a new connection; a string is sent as a form, any other value as JSON."""
        headers = dict(headers or {})
        if self.address and not admin:
            headers["X-Forwarded-For"] = self.address
        if token:
            headers["X-Session-Token"] = token
        if admin:
            headers["Authorization"] = f"Bearer {self.admin_token}"
        body = value
        if isinstance(value, str):
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        elif value is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(value)
        address = urllib.parse.urlsplit(self.admin_url if admin else self.url)
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            request = " ".join(part for part in [method, path, str(headers), body] if part)
            return Answer(request, response.status, response.headers, response.read())
        finally:
            connection.close()

    def admin(self, method, path, value=None):
        return self.call(method, "/admin" + path, value, admin=True)

    def whoami(self, token):
        return self.call("GET", f"{self.base_path}/sessions/whoami", token=token)

    def begin(self, kind, token=None, query=""):
        """Begins a flow and returns its id."""
        path = f"{self.base_path}/self-service/{kind}/api{query}"
        return self.call("GET", path, token=token).expect().body["id"]

    def submit(self, kind, flow, token=None, headers=None, **members):
        return self.call("POST", f"{self.base_path}/self-service/{kind}?flow={flow}", members, token, headers)

    # Accounts

    def register(self, person, headers=None):
        """Registers a person with a password."""
        flow = self.begin("registration")
        members = {"method": "password", "password": person.password, "traits": person.traits}
        return self._remember(person, self.submit("registration", flow, headers=headers, **members).expect())

    def register_customer(self, person, headers=None):
        """Registers a customer with a verified phone and a passcode."""
        flow = self.begin("registration", query="?identity_schema=customer")
        members = {"phoneType": "PRIMARY", "flowId": flow, "flowType": "REGISTRATION"}
        path = "/identity/verification/flow/phone"
        self.call("POST", path, {**members, "phoneNumber": person.phone}).expect(201)
        self.call("PATCH", path, {**members, "otp": self.code(person.phone, "verification")}).expect()
        members = {"method": "password", "password": person.passcode, "traits": {"phone": person.phone}}
        return self._remember(person, self.submit("registration", flow, headers=headers, **members).expect())

    def register_by_code(self, person):
        """Signs up with the code that was sent to the e-mail address."""
        flow = self.begin("registration")
        self.submit("registration", flow, method="code", traits=person.traits).expect(400)
        code = self.code(person.email, "registration")
        return self.submit("registration", flow, method="code", traits=person.traits, code=code)

    def _remember(self, person, answer):
        person.token, person.identity = answer.session_token, answer.body["session"]["identity"]["id"]
        return answer

    def confirm(self, person):
        """Registers a person and verifies both addresses in the flows of the registration."""
        answer = self.register(person)
        for address, flow in answer.verifications.items():
            passed = self.submit("verification", flow, method="code", code=self.code(address, "verification"))
            if passed.get("state") != "passed_challenge":
                sys.exit(f"a step before the attack failed; {passed}")
        return answer

    def log_in(self, identifier, password, headers=None):
        members = {"method": "password", "identifier": identifier, "password": password}
        return self.submit("login", self.begin("login"), headers=headers, **members)

    # Codes

    def ask(self, kind, address, flow=None):
        """Requests a code in a login, a recovery or a verification and returns the flow."""
        flow = flow or self.begin(kind)
        name = "identifier" if kind == "login" else "email"
        self.submit(kind, flow, method="code", **{name: address}).expect(400 if kind == "login" else 200)
        return flow

    def enter(self, kind, flow, address, code, token=None):
        """Enters a code in the flow for which it was sent."""
        members = {"identifier": address} if kind == "login" else {}
        return self.submit(kind, flow, token, method="code", code=code, **members)

    def code(self, address, kind):
        """The latest code of a kind that was sent to an address; exits if there is no new one."""
        return self.fresh_code(address, kind) or sys.exit(f"no {kind} code was sent to {address}")

    def fresh_code(self, address, kind):
        """The latest code of a kind that was sent to an address, or `None`; each is returned once."""
        query = "/courier/messages?" + urllib.parse.urlencode({"recipient": address})
        for _ in range(2000):
            # A message is queued by the request that causes it.
            messages = self.admin("GET", query).expect().body
            if all(message["status"] == "sent" for message in messages):
                break
            time.sleep(0.01)
        messages = self.call("GET", query, admin=True).expect().body
        sent = [message for message in messages if message["template_type"] == f"{kind}_code_valid"]
        fresh = [message["code"] for message in sent if message["id"] not in self._seen]
        self._seen.update(message["id"] for message in sent)
        return fresh[-1] if fresh else None

    def enter_by_code(self, kind, address):
        """Logs in or recovers the account with a new code; `None` if no code is sent."""
        flow = self.ask(kind, address)
        code = self.fresh_code(address, kind)
        return self.enter(kind, flow, address, code) if code else None

    # Devices

    def enrol(self, token, device, headers=None):
        """Requests a certificate for the device's key."""
        return self.call("PUT", CERTIFICATES, {"csr": device.request()}, token, headers)

    def tokens(self, device, **form):
        """Sends a request to the token endpoint with a proof signed by the device."""
        proof = device.proof("POST", self.url + "/oauth2/token")
        return self.call("POST", "/oauth2/token", urllib.parse.urlencode(form), headers={"DPoP": proof})

    def exchange(self, token, device):
        """Exchanges a session for a token pair."""
        return self.tokens(
            device, grant_type=EXCHANGE, subject_token=token, subject_token_type=ACCESS_TOKEN
        )

    def refresh(self, token, device):
        return self.tokens(device, grant_type="refresh_token", refresh_token=token)


class Device:
    """A key on P-256 that signs requests for certificates and proofs of possession."""

    folder = None

    def __init__(self):
        if Device.folder is None:
            Device.folder = tempfile.mkdtemp()
            atexit.register(shutil.rmtree, Device.folder)
        self.path = os.path.join(Device.folder, f"{uuid.uuid4()}.pem")
        self._openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", self.path)
        point = self._openssl("ec", "-in", self.path, "-pubout", "-outform", "DER")[-64:]
        x, y = self._encode(point[:32]), self._encode(point[32:])
        self.jwk = {"kty": "EC", "crv": "P-256", "x": x, "y": y}

    def request(self, signer=None):
        """Returns a certificate request for the key, PKCS#10 in PEM; signed by the other device if one is given."""
        if signer is None:
            return self._openssl("req", "-new", "-key", self.path, "-subj", "/CN=device").decode()
        request = self._openssl("req", "-new", "-key", self.path, "-subj", "/CN=device", "-outform", "DER")
        # A sequence of the signed data, the algorithm and the signature.
        info, algorithm = self._elements(self._elements(request)[0][1])[:2]
        signature = self._openssl("dgst", "-sha256", "-sign", signer.path, input=info[0])
        content = info[0] + algorithm[0] + b"\x03" + bytes([len(signature) + 1, 0]) + signature
        der = b"\x30\x82" + len(content).to_bytes(2, "big") + content
        return self._openssl("req", "-inform", "DER", input=der).decode()

    def proof(self, method, url):
        """A proof of possession for a request (RFC 9449)."""
        header = {"typ": "dpop+jwt", "alg": "ES256", "jwk": self.jwk}
        claims = {"jti": str(uuid.uuid4()), "htm": method, "htu": url, "iat": int(time.time())}
        text = ".".join(self._encode(json.dumps(part).encode()) for part in (header, claims))
        signature = self._openssl("dgst", "-sha256", "-sign", self.path, input=text.encode())
        return text + "." + self._encode(self._raw(signature))

    @staticmethod
    def _openssl(*arguments, input=None):
        return subprocess.run(["openssl", *arguments], input=input, capture_output=True, check=True).stdout

    @staticmethod
    def _encode(data):
        return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

    @classmethod
    def _raw(cls, signature):
        """Returns r and s, 32 bytes each, from a DER sequence of two integers."""
        numbers = cls._elements(cls._elements(signature)[0][1])
        return b"".join(int.from_bytes(number, "big").to_bytes(32, "big") for _, number in numbers)

    @staticmethod
    def _elements(data):
        """Returns the elements of DER data, each with and without its tag and length."""
        elements = []
        while data:
            start, length = 2, data[1]
            if length > 127:
                start = 2 + (length & 127)
                length = int.from_bytes(data[2:start], "big")
            elements.append((data[: start + length], data[start : start + length]))
            data = data[start + length :]
        return elements
