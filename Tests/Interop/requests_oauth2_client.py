"""Logs users in with requests-oauth2client, a published OAuth client, unmodified: discovery, code with PKCE, `iss`,
pushed requests, tokens that are bound to a key (DPoP), ID token, userinfo, refresh and revocation.

usage: requests_oauth2_client.py BASE_URL ADMIN_URL
Prints one line for each step and exits with 1 at the first unexpected result.
"""

import sys

import requests
from requests_oauth2client import (
    BearerToken,
    ClientSecretBasic,
    ClientSecretPost,
    DPoPKey,
    DPoPToken,
    OAuth2Client,
    PublicApp,
)
from requests_oauth2client.exceptions import AuthorizationResponseError, EndpointError, InvalidGrant

from provider import REDIRECT, REGISTRATIONS, SCOPE, Provider, refused
from published_client import expect, same


def connected(provider, client, algorithm):
    """Returns the library's client. Its flag `testing` allows addresses without TLS."""
    return OAuth2Client.from_discovery_endpoint(
        issuer=provider.url,
        testing=True,
        auth=authentication(client),
        redirect_uri=REDIRECT,
        id_token_signed_response_alg=algorithm,
    )


def authentication(client):
    if client.token_endpoint_auth_method == "none":
        return PublicApp(client.client_id)
    kind = {"client_secret_basic": ClientSecretBasic, "client_secret_post": ClientSecretPost}
    return kind[client.token_endpoint_auth_method](client.client_id, client.client_secret)


def members(tokens):
    return {"id_token": str(tokens.id_token), "access_token": tokens.access_token}


def log_in(provider, registration, is_pushed, key=None):
    """Logs a new user in, and uses the tokens until they are revoked."""
    client, user = provider.register(*registration), provider.user()
    algorithm = registration[1] or "RS256"
    app = connected(provider, client, algorithm)
    request = app.authorization_request(scope=SCOPE, dpop=key is not None, dpop_key=key)
    address = request.uri
    if is_pushed:
        pushed = app.pushed_authorization_request(request)
        expect(pushed.expires_at, "the request is pushed")
        address = pushed.uri
    # The library checks `state`, and `iss` because the metadata announces it.
    answer = request.validate_callback(user.authorize(address))
    # The library verifies the ID token, too, but in version 1.8.0 it fails to do so for a token that is bound to a key.
    tokens = app.authorization_code(answer, validate=key is None)
    same(type(tokens), DPoPToken if key else BearerToken, "the code is redeemed for the type of token that was asked for")
    provider.verified(members(tokens), client, algorithm, user, request.nonce)
    provider.same_user(app.userinfo(tokens), user)

    refreshed = app.refresh_token(tokens)
    expect(refreshed.refresh_token != tokens.refresh_token, "a refresh returns a new refresh token")
    provider.verified(members(refreshed), client, algorithm, user, None)
    provider.same_user(app.userinfo(refreshed), user)
    if key:
        rejects_other_keys(app, refreshed)
    if is_pushed:
        user.session.cookies.clear()
        response = user.session.get(address, allow_redirects=False, timeout=20)
        same((response.status_code, response.is_redirect), (400, False), "a pushed request is used once")

    expect(app.revoke_refresh_token(refreshed), "the client revokes its tokens")
    refused(InvalidGrant, "invalid_grant", lambda: app.refresh_token(refreshed), "a revoked refresh token is rejected")
    without_access(app, refreshed, "a revoked access token is rejected")


def without_access(app, tokens, what, error="invalid_token"):
    """Expects the userinfo endpoint to reject an access token, which the library reports as an error of HTTP."""
    try:
        app.userinfo(tokens)
    except requests.HTTPError as refusal:
        same((refusal.response.status_code, refusal.response.json()["error"]), (401, error), what)
        return
    expect(False, what)


def rejects_other_keys(app, tokens):
    other = DPoPToken(tokens.access_token, refresh_token=tokens.refresh_token, _dpop_key=DPoPKey.generate())
    refused(EndpointError, "invalid_dpop_proof", lambda: app.refresh_token(other), "a refresh with another key is rejected")
    without_access(app, other, "userinfo with another key is rejected", "invalid_dpop_proof")
    without_access(app, BearerToken(tokens.access_token), "userinfo without the key is rejected")


def rejects_another_clients_code(provider):
    """A code that another client has stolen is of no use to it, and stays valid."""
    user = provider.user()
    clients = [provider.register("client_secret_basic") for _ in range(2)]
    first, second = (connected(provider, client, "RS256") for client in clients)
    request = first.authorization_request(scope=SCOPE)
    answer = request.validate_callback(user.authorize(request.uri))
    refused(InvalidGrant, "invalid_grant", lambda: second.authorization_code(answer), "another client is rejected")
    expect(first.authorization_code(answer).id_token, "the client can still redeem its code")


def refuse(provider):
    client, user = provider.register("none", "ES256"), provider.user()
    app = connected(provider, client, "ES256")
    request = app.authorization_request(scope=SCOPE)
    user.open(app.pushed_authorization_request(request).uri)
    user.log_in()
    user.answer("refuse")
    refused(AuthorizationResponseError, "access_denied", lambda: request.validate_callback(user.outside), "the user refuses")


def main(url, admin_url):
    provider = Provider(url, admin_url)
    for index, registration in enumerate(REGISTRATIONS):
        log_in(provider, registration, is_pushed=index % 2 == 0)
    for registration in [("client_secret_basic", None), ("none", "ES256")]:
        log_in(provider, registration, is_pushed=True, key=DPoPKey.generate())
    # The clock of this client is wrong, so each endpoint demands a nonce of the server.
    log_in(provider, ("none", "ES256"), is_pushed=True, key=DPoPKey.generate(iat_generator=lambda: 5))
    rejects_another_clients_code(provider)
    refuse(provider)
    print("all steps passed")


if __name__ == "__main__":
    main(*sys.argv[1:])
