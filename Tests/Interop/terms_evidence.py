"""Checks exported answers to terms as another party does, with unmodified PyJWT and joserfc and the server's published
keys, and compares the hash of the text with the text itself.

usage: terms_evidence.py BASE_URL ADMIN_URL
Prints one line for each step and exits with 1 at the first unexpected result.
"""

import base64
import hashlib
import json
import os
import sys
import uuid

import jwt
from joserfc import jws
from joserfc.jwk import KeySet

from purchase_history import changed, key_set
from token_pair import call_json, expect

TEXTS = {"en": "Be kind.", "nb": "Vær grei."}


def admin(method, url, value=None):
    token = os.environ["LATCHKEY_ADMIN_TOKEN"]
    return call_json(method, url, value, {"Authorization": f"Bearer {token}"})


def verified(signed, base_url):
    """Verifies the signature of an answer, as documented in Documentation/terms.md, and returns the answer."""
    if jwt.get_unverified_header(signed)["typ"] != "terms-evidence+jws":
        raise jwt.InvalidTokenError("not an answer to terms")
    key = key_set(base_url).get_signing_key_from_jwt(signed)
    return jwt.decode(signed, key, algorithms=["ES256"], issuer=base_url, options={"require": ["iss"]})


def refused(signed, base_url):
    try:
        verified(signed, base_url)
        return False
    except (jwt.PyJWTError, UnicodeDecodeError, KeyError):
        return True


def published(admin_url):
    texts = [{"language": language, "text": text} for language, text in TEXTS.items()]
    document = {
        "key": "shop-terms",
        "kind": "terms",
        "default_language": "en",
        "titles": {language: "Terms" for language in TEXTS},
        "versions": [{"number": 1, "asks": "acceptance", "texts": texts}],
    }
    return admin("POST", f"{admin_url}/admin/terms/publications", {"documents": [document]})[0]


def logged_in(base_url, admin_url):
    number = uuid.uuid4().int % 10**8
    email, password = f"person{number}@example.org", f"Plenty-of-Salt-{number}"
    status, identity = admin(
        "POST",
        f"{admin_url}/admin/identities",
        {
            "schema_id": "person",
            "traits": {"email": email, "phone": f"+4366{number:08}"},
            "credentials": {"password": {"config": {"password": password}}},
        },
    )
    expect(status == 201, "the operator creates an account")
    _, flow = call_json("GET", f"{base_url}/a/self-service/login/api")
    body = {"method": "password", "identifier": email, "password": password}
    status, answer = call_json("POST", f"{base_url}/a/self-service/login?flow={flow['id']}", body)
    expect(status == 200, "a login opens a session")
    return identity["id"], {"X-Session-Token": answer["session_token"]}


def main(base_url, admin_url):
    identity, session = logged_in(base_url, admin_url)
    expect(published(admin_url) == 200, "the terms are published")
    agreements = f"{base_url}/a/account/agreements"
    status, listed = call_json("GET", agreements, headers={"Accept-Language": "nb", **session})
    current = listed["documents"][0]["current"]
    expect(status == 200 and current["language"] == "nb", "the user reads them in Norwegian")
    answer = {key: current[key] for key in ["version", "language", "hash"]}
    answer |= {"document": "shop-terms", "answer": "acceptance"}
    status, _ = call_json("POST", agreements, {"answers": [answer]}, session)
    expect(status == 200, "the user accepts them")

    status, exported = admin("GET", f"{admin_url}/admin/terms/evidence?identity={identity}")
    expect(status == 200 and len(exported) == 1, "the operator exports one answer")
    signed = exported[0]["jws"]
    evidence = verified(signed, base_url)
    expect(evidence == exported[0]["evidence"], "PyJWT accepts the signature of this answer")
    expect(evidence["identity_id"] == identity and evidence["answer"] == "acceptance", "it is the user's acceptance")
    digest = hashlib.sha256(TEXTS["nb"].encode()).digest()
    expect(base64.urlsafe_b64decode(evidence["hash"] + "=") == digest, "its hash is that of the Norwegian text")

    _, keys = call_json("GET", f"{base_url}/.well-known/jwks.json")
    own = [key for key in keys["keys"] if key["kty"] == "EC"]
    content = jws.deserialize_compact(signed, KeySet.import_key_set({"keys": own}), algorithms=["ES256"]).payload
    expect(json.loads(content) == evidence, "joserfc accepts it as well")

    copies = list(changed(signed))
    expect(all(refused(copy, base_url) for copy in copies), "every changed byte is rejected")
    print("all steps passed")


if __name__ == "__main__":
    main(*sys.argv[1:])
