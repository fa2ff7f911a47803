"""Verifies a purchase history as the back end of an app does, with unmodified PyJWT and the server's published keys.

usage: purchase_history.py BASE_URL ADMIN_URL
Prints one line for each step and exits with 1 at the first unexpected result.
"""

import base64
import functools
import os
import sys
import uuid

import jwt

from token_pair import call_json, expect

APP = "com.example.arcade"


@functools.cache
def key_set(base_url):
    return jwt.PyJWKClient(f"{base_url}/.well-known/jwks.json")


def verified(history, base_url, audience=APP):
    """Verifies a history, as documented in Documentation/commerce.md."""
    header = jwt.get_unverified_header(history)
    if header["typ"] != "purchases+jwt":
        raise jwt.InvalidTokenError("not a purchase history")
    key = key_set(base_url).get_signing_key_from_jwt(history)
    return jwt.decode(
        history,
        key,
        algorithms=["ES256"],
        issuer=base_url,
        audience=audience,
        options={"require": ["iss", "sub", "aud", "exp", "iat", "jti", "purchases"]},
    )


def refused(history, base_url, audience=APP):
    try:
        verified(history, base_url, audience)
        return False
    except (jwt.PyJWTError, UnicodeDecodeError, KeyError):
        return True


def changed(history):
    """Yields copies of a history, each with one changed byte in the payload or the signature."""
    header, *parts = history.split(".")
    for place, part in enumerate(parts):
        content = bytearray(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
        for index in range(len(content)):
            copy = bytearray(content)
            copy[index] ^= 1
            other = list(parts)
            other[place] = base64.urlsafe_b64encode(bytes(copy)).rstrip(b"=").decode()
            yield ".".join([header, *other])


def logged_in(base_url, admin_url):
    """Logs in a user whom the operator has created, because only confirmed accounts can buy."""
    number = uuid.uuid4().int % 10**8
    email, password = f"person{number}@example.org", f"Plenty-of-Salt-{number}"
    status, _ = call_json(
        "POST",
        f"{admin_url}/admin/identities",
        {
            "schema_id": "person",
            "traits": {"email": email, "phone": f"+4366{number:08}"},
            "credentials": {"password": {"config": {"password": password}}},
        },
        {"Authorization": f"Bearer {os.environ['LATCHKEY_ADMIN_TOKEN']}"},
    )
    expect(status == 201, "the operator creates an account")
    _, flow = call_json("GET", f"{base_url}/a/self-service/login/api")
    status, answer = call_json(
        "POST",
        f"{base_url}/a/self-service/login?flow={flow['id']}",
        {"method": "password", "identifier": email, "password": password},
    )
    expect(status == 200, "a login opens a session")
    return answer["session_token"]


def main(base_url, admin_url):
    session = logged_in(base_url, admin_url)
    token = {"X-Session-Token": session}
    card = {"kind": "sandbox_card", "number": "4242424242424242"}
    status, _ = call_json("POST", f"{base_url}/a/commerce/payment-methods", card, token)
    expect(status == 201, "a sandbox card is added")
    ids = []
    for product, quantity in [("coins", 3), ("pro", 1)]:
        status, answer = call_json(
            "POST",
            f"{base_url}/a/commerce/orders",
            {"product_id": product, "quantity": quantity},
            {"Idempotency-Key": f"order-{product}", **token},
        )
        expect(status == 201 and answer["transaction"]["state"] == "purchased", f"{product} is bought")
        ids.append(answer["transaction"]["id"])

    status, answer = call_json("GET", f"{base_url}/a/commerce/history?app={APP}", headers=token)
    expect(status == 200, "the history is returned")
    history = answer["history"]
    claims = verified(history, base_url)
    _, whoami = call_json("GET", f"{base_url}/a/sessions/whoami", headers=token)
    expect(claims["sub"] == whoami["identity"]["id"], "the history identifies the user")
    expect([purchase["transaction_id"] for purchase in claims["purchases"]] == ids, "the history lists the purchases")
    expect(claims["purchases"][0]["price"] == {"amount": 499, "currency": "EUR"}, "the price is in minor units")
    expect(claims["purchases"][0]["quantity"] == 3, "the quantity is listed")

    copies = list(changed(history))
    expect(all(refused(copy, base_url) for copy in copies), "every changed byte is rejected")
    expect(refused(history, base_url, "com.example.other"), "another app rejects the history")
    print("all steps passed")


if __name__ == "__main__":
    main(*sys.argv[1:])
