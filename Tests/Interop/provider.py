"""An OpenID provider whose clients and users are created with the operator's API.

ID tokens are verified with unmodified PyJWT, which knows only the provider's metadata and the client's registration.
"""

import base64
import time
import urllib.parse

import jwt
import ory_client as ory
import requests
from ory_client import models

from pages import PageVisitor
from published_client import Person, admin_client, expect, same

REDIRECT = "https://shop.example.com/callback"
SCOPE = "openid profile email phone offline_access"
# Each authentication method, and both algorithms. A client that registers no algorithm gets RS256.
REGISTRATIONS = [
    ("client_secret_basic", None),
    ("client_secret_post", "ES256"),
    ("none", "ES256"),
    ("none", "RS256"),
]


class Provider:
    def __init__(self, url, admin_url):
        self.url = url
        self.configuration_url = url + "/.well-known/openid-configuration"
        self.metadata = requests.get(self.configuration_url, timeout=20).json()
        same(self.metadata["issuer"], url, "the metadata names the issuer")
        self.keys = jwt.PyJWKClient(self.metadata["jwks_uri"])
        self.clients = ory.OAuth2Api(admin_client(ory, admin_url))
        self.identities = ory.IdentityApi(admin_client(ory, admin_url))

    def register(self, method, algorithm=None, redirect=REDIRECT, pkce="required", name="The shop", **metadata):
        """Registers a client, whose algorithm is the default one if none is given."""
        members = {"latchkey": {"pkce": pkce}}
        if algorithm:
            members["id_token_signed_response_alg"] = algorithm
        client = self.clients.create_o_auth2_client(
            models.OAuth2Client(
                client_name=name,
                redirect_uris=[redirect],
                grant_types=["authorization_code", "refresh_token"],
                response_types=["code"],
                scope=SCOPE,
                token_endpoint_auth_method=method,
                additional_properties=members,
                **metadata,
            )
        )
        self._await_key(algorithm or "RS256")
        same(bool(client.client_secret), method != "none", f"a client with {method} and {algorithm} is registered")
        return client

    def _await_key(self, algorithm):
        """Waits until the server has published the key that it generates for the first client of an algorithm."""
        for _ in range(1000):
            keys = requests.get(self.metadata["jwks_uri"], timeout=20).json()["keys"]
            if any(key["alg"] == algorithm for key in keys):
                return
            time.sleep(0.01)
        expect(False, f"a key for {algorithm} is published")

    def user(self):
        """Creates an account with a confirmed address, and returns a browser that isn't logged in."""
        person = Person()
        password = models.IdentityWithCredentialsPassword(
            config=models.IdentityWithCredentialsPasswordConfig(password=person.password)
        )
        identity = self.identities.create_identity(
            models.CreateIdentityBody(
                schema_id="person",
                traits=person.traits,
                credentials=models.IdentityWithCredentials(password=password),
                verifiable_addresses=[
                    models.VerifiableIdentityAddress(
                        value=person.email, via="email", verified=True, status="completed"
                    )
                ],
            )
        )
        visitor = PageVisitor(self.url, person)
        visitor.id = str(identity.id)
        return visitor

    def verified(self, tokens, client, algorithm, user, nonce):
        """Verifies an ID token as OpenID Connect Core demands (section 3.1.3.7), and returns its claims."""
        token = tokens["id_token"]
        key = self.keys.get_signing_key_from_jwt(token)
        claims = jwt.decode(
            token,
            key,
            algorithms=[algorithm],
            issuer=self.url,
            audience=client.client_id,
            options={"require": ["iss", "sub", "aud", "exp", "iat", "auth_time"]},
        )
        same(claims["sub"], user.id, "the ID token identifies the user")
        same(claims.get("nonce"), nonce, "the ID token has the nonce of the request")
        expect(claims["iat"] - 60 <= claims["auth_time"] <= claims["iat"], "the user has just logged in")
        expect(claims["exp"] > time.time(), "the ID token is valid for some time")
        digest = jwt.get_algorithm_by_name(algorithm).compute_hash_digest(tokens["access_token"].encode())
        half = base64.urlsafe_b64encode(digest[: len(digest) // 2]).rstrip(b"=").decode()
        same(claims["at_hash"], half, "the ID token belongs to the access token")
        return claims

    def same_user(self, info, user):
        """Expects the claims of a user at the userinfo endpoint."""
        person = user.person
        found = {name: info.get(name) for name in ("sub", "email", "email_verified", "phone_number")}
        wanted = {"sub": user.id, "email": person.email, "email_verified": True, "phone_number": person.phone}
        same(found, wanted, "userinfo returns the claims of the scopes")


def parameters(address):
    """Returns the parameters that a client receives, each of which occurs once."""
    query = urllib.parse.urlsplit(address).query
    items = urllib.parse.parse_qsl(query, keep_blank_values=True, strict_parsing=True)
    expect(len(dict(items)) == len(items), "no parameter is repeated")
    return dict(items)


def refused(error_class, error, call, what):
    """Expects a library to report an OAuth error."""
    try:
        call()
    except error_class as refusal:
        same(refusal.error, error, what)
        return
    expect(False, f"{what} (no error)")
