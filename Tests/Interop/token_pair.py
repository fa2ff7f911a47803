"""Uses a server's tokens as a device and an API written in Python would, with unmodified PyJWT and cryptography:
certify a key, exchange the session, verify the access token with the published keys, refresh, revoke.

usage: token_pair.py BASE_URL
Prints one line for each step and exits with 1 at the first unexpected result.
"""

import base64
import json
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

import jwt
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"


def expect(condition, what):
    if not condition:
        print(f"failed: {what}")
        sys.exit(1)
    print(f"ok: {what}")


def call(method, url, body=None, headers=None):
    request = urllib.request.Request(url, data=body, method=method, headers=headers or {})
    try:
        with urllib.request.urlopen(request, timeout=20) as response:
            return response.status, response.headers, response.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def call_json(method, url, value=None, headers=None):
    body = None if value is None else json.dumps(value).encode()
    status, _, text = call(method, url, body, {"Content-Type": "application/json", **(headers or {})})
    return status, json.loads(text) if text else None


class Device:
    def __init__(self):
        self.key = ec.generate_private_key(ec.SECP256R1())
        numbers = self.key.public_key().public_numbers()
        self.jwk = {"kty": "EC", "crv": "P-256", "x": self.encode(numbers.x), "y": self.encode(numbers.y)}

    @staticmethod
    def encode(number):
        return base64.urlsafe_b64encode(number.to_bytes(32, "big")).rstrip(b"=").decode()

    def request(self):
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "device")])
        signed = x509.CertificateSigningRequestBuilder().subject_name(name).sign(self.key, hashes.SHA256())
        return signed.public_bytes(serialization.Encoding.PEM).decode()

    def proof(self, url, **claims):
        payload = {"jti": str(uuid.uuid4()), "htm": "POST", "htu": url, "iat": int(time.time()), **claims}
        return jwt.encode(payload, self.key, "ES256", {"typ": "dpop+jwt", "jwk": self.jwk})

    def tokens(self, url, form, **claims):
        headers = {"Content-Type": "application/x-www-form-urlencoded", "DPoP": self.proof(url, **claims)}
        status, fields, text = call("POST", url, urllib.parse.urlencode(form).encode(), headers)
        return status, fields, json.loads(text)


def signed_up(base_url):
    """Registers a user and returns the session's token."""
    number = uuid.uuid4().int % 10**8
    _, flow = call_json("GET", f"{base_url}/a/self-service/registration/api")
    status, answer = call_json(
        "POST",
        f"{base_url}/a/self-service/registration?flow={flow['id']}",
        {
            "method": "password",
            "password": f"Plenty-of-Salt-{number}",
            "traits": {"email": f"person{number}@example.org", "phone": f"+4366{number:08}"},
        },
    )
    expect(status == 200, "a registration opens a session")
    return answer["session_token"]


def verified(token, metadata):
    """Verifies an access token as an API does that knows only the issuer's metadata."""
    key = jwt.PyJWKClient(metadata["jwks_uri"]).get_signing_key_from_jwt(token)
    expect(jwt.get_unverified_header(token)["typ"] == "at+jwt", "the access token has the type at+jwt")
    return jwt.decode(
        token,
        key,
        algorithms=["ES256"],
        issuer=metadata["issuer"],
        audience=metadata["issuer"],
        options={"require": ["iss", "sub", "aud", "exp", "iat", "jti", "client_id", "sid"]},
    )


def main(base_url):
    status, metadata = call_json("GET", f"{base_url}/.well-known/oauth-authorization-server")
    expect(status == 200 and metadata["issuer"] == base_url, "the metadata names the issuer")
    url = metadata["token_endpoint"]
    session, device = signed_up(base_url), Device()
    exchange = {"grant_type": EXCHANGE, "subject_token": session, "subject_token_type": ACCESS_TOKEN}

    status, _, answer = device.tokens(url, exchange)
    expect((status, answer["error"]) == (400, "invalid_request"), "a session without a certificate is rejected")
    status, _ = call_json(
        "PUT",
        f"{base_url}/identity/pki/client/certificates",
        {"csr": device.request()},
        {"X-Session-Token": session},
    )
    expect(status == 200, "the device is certified")

    status, fields, _ = device.tokens(url, exchange, iat=5)
    expect(status == 400 and fields["DPoP-Nonce"], "a device with a wrong clock gets a nonce")
    status, _, first = device.tokens(url, exchange, iat=5, nonce=fields["DPoP-Nonce"])
    expect(status == 200 and first["token_type"] == "Bearer", "the session is exchanged with the nonce")

    claims = verified(first["access_token"], metadata)
    _, whoami = call_json(
        "GET", f"{base_url}/a/sessions/whoami", headers={"Authorization": "Bearer " + first["access_token"]}
    )
    expect(claims["sub"] == whoami["identity"]["id"], "the access token identifies the user")
    expect(claims["sid"] == whoami["id"], "the access token identifies the session")
    header, payload, signature = first["access_token"].split(".")
    changed = "A" if signature[0] != "A" else "B"
    try:
        verified(".".join([header, payload, changed + signature[1:]]), metadata)
        expect(False, "a changed access token is rejected")
    except jwt.InvalidSignatureError:
        expect(True, "a changed access token is rejected")

    refresh = {"grant_type": "refresh_token", "refresh_token": first["refresh_token"]}
    status, _, second = device.tokens(url, refresh)
    expect(status == 200 and second["refresh_token"] != first["refresh_token"], "a refresh returns a new token pair")
    verified(second["access_token"], metadata)
    status, _, again = device.tokens(url, refresh)
    expect(again.get("refresh_token") == second["refresh_token"], "a repeated refresh returns the same refresh token")
    status, _, answer = Device().tokens(url, refresh)
    expect((status, answer["error"]) == (400, "invalid_dpop_proof"), "a refresh with another key is rejected")

    form = urllib.parse.urlencode({"token": second["refresh_token"]}).encode()
    for _ in range(2):
        status, _, _ = call("POST", metadata["revocation_endpoint"], form)
        expect(status == 200, "revocation can be repeated")
    status, _, answer = device.tokens(url, refresh)
    expect((status, answer["error"]) == (400, "invalid_grant"), "a refresh after the revocation is rejected")
    status, _ = call_json(
        "GET", f"{base_url}/a/sessions/whoami", headers={"Authorization": "Bearer " + second["access_token"]}
    )
    expect(status == 401, "an access token is rejected after the revocation")
    print("all steps passed")


if __name__ == "__main__":
    main(sys.argv[1])
