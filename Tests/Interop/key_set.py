"""Verifies tokens with a published key set as a client does, with unmodified PyJWT.

usage: key_set.py KEY_SET ES256_TOKEN RS256_TOKEN
Prints one line for each step and exits with 1 at the first unexpected result.
"""

import sys

import jwt

from token_pair import expect


def verified(token, keys, algorithm):
    """Verifies a token whose algorithm the client has registered, and returns its claims."""
    key = keys[jwt.get_unverified_header(token)["kid"]]
    return jwt.decode(token, key, algorithms=[algorithm], issuer="https://id.example.com")


def refused(token, keys, algorithm):
    try:
        verified(token, keys, algorithm)
        return False
    except jwt.PyJWTError:
        return True


def main(key_set, *tokens):
    keys = jwt.PyJWKSet.from_json(key_set)
    kinds = [(key.key_type, key.algorithm_name, key.public_key_use) for key in keys.keys]
    expect(kinds == [("EC", "ES256", "sig"), ("RSA", "RS256", "sig")], "the set lists the EC key before the RSA key")
    for token, algorithm, other in zip(tokens, ["ES256", "RS256"], ["RS256", "ES256"]):
        expect(verified(token, keys, algorithm)["sub"] == algorithm, f"the token is signed with {algorithm}")
        expect(refused(token, keys, other), f"the token isn't accepted as one with {other}")
        header, payload, signature = token.split(".")
        changed = "A" if signature[0] != "A" else "B"
        expect(refused(".".join([header, payload, changed + signature[1:]]), keys, algorithm), "a change is detected")
    print("all steps passed")


if __name__ == "__main__":
    main(*sys.argv[1:])
