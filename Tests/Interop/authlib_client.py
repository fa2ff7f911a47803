"""Logs users in with Authlib, a published OAuth client, unmodified: discovery, code with PKCE, ID token, userinfo,
refresh and revocation, with each authentication method and algorithm.

usage: authlib_client.py BASE_URL ADMIN_URL
Prints one line for each step and exits with 1 at the first unexpected result.
"""

import sys

from authlib.integrations.base_client import BaseApp, OAuth2Mixin, OpenIDMixin
from authlib.integrations.requests_client import OAuth2Session, OAuthError

from provider import REDIRECT, REGISTRATIONS, SCOPE, Provider, parameters, refused
from published_client import expect, same


class App(OAuth2Mixin, OpenIDMixin, BaseApp):
    """Authlib's client of an OpenID provider, which the package otherwise ships as part of web frameworks."""

    client_cls = OAuth2Session

    def __init__(self, provider, client):
        super().__init__(
            self,
            client_id=client.client_id,
            client_secret=client.client_secret,
            server_metadata_url=provider.configuration_url,
            client_kwargs={
                "scope": SCOPE,
                "code_challenge_method": "S256",
                "token_endpoint_auth_method": client.token_endpoint_auth_method,
                "revocation_endpoint_auth_method": client.token_endpoint_auth_method,
            },
        )

    def update_token(self, token, refresh_token=None, access_token=None):
        """Is called by Authlib after a refresh; the script reads the tokens from the session."""

    def session(self, token=None):
        session = self._get_oauth_client(**self.load_server_metadata())
        session.token = token
        return session

    def answered(self, request, address):
        """Reads an authorization response as a client that has more than one provider does (RFC 9207)."""
        answer = parameters(address)
        same(answer.pop("state"), request["state"], "the response has the state of the request")
        same(answer.pop("iss"), self.server_metadata["issuer"], "the response names the issuer")
        if "error" in answer:
            raise OAuthError(answer["error"], answer.get("error_description"))
        return answer

    def redeem(self, request, code):
        return self.fetch_access_token(
            REDIRECT, grant_type="authorization_code", code=code, code_verifier=request["code_verifier"]
        )


def log_in(provider, method, algorithm):
    client, user = provider.register(method, algorithm), provider.user()
    algorithm = algorithm or "RS256"
    app = App(provider, client)
    expect(app.load_server_metadata()["authorization_response_iss_parameter_supported"], "responses name the issuer")

    request = app.create_authorization_url(REDIRECT)
    code = app.answered(request, user.authorize(request["url"]))["code"]
    refused(OAuthError, "invalid_grant", lambda: app.redeem({"code_verifier": "x" * 43}, code), "PKCE protects the code")
    tokens = app.redeem(request, code)
    same(tokens["token_type"].lower(), "bearer", "the code is redeemed for a bearer token")
    app.parse_id_token(tokens, request["nonce"])
    first = provider.verified(tokens, client, algorithm, user, request["nonce"])
    provider.same_user(app.userinfo(token=tokens), user)

    session = app.session(tokens)
    refreshed = session.refresh_token(app.server_metadata["token_endpoint"])
    expect(refreshed["refresh_token"] != tokens["refresh_token"], "a refresh returns a new refresh token")
    second = provider.verified(refreshed, client, algorithm, user, None)
    same(second["auth_time"], first["auth_time"], "a refreshed ID token has the time of the login")
    provider.same_user(app.userinfo(token=refreshed), user)

    request = app.create_authorization_url(REDIRECT, prompt="none")
    again = app.answered(request, user.authorize(request["url"]))["code"]
    others = app.redeem(request, again)
    refused(OAuthError, "invalid_grant", lambda: app.redeem(request, again), "a code is redeemed once")
    same(status(app, others), 401, "the second redemption ends the first one's tokens")
    provider.same_user(app.userinfo(token=refreshed), user)

    answer = session.revoke_token(
        app.server_metadata["revocation_endpoint"], refreshed["refresh_token"], token_type_hint="refresh_token"
    )
    same(answer.status_code, 200, "the client revokes its tokens")
    same(status(app, refreshed), 401, "a revoked access token is rejected")
    refused(
        OAuthError,
        "invalid_grant",
        lambda: session.refresh_token(
            app.server_metadata["token_endpoint"], refresh_token=refreshed["refresh_token"]
        ),
        "a revoked refresh token is rejected",
    )


def status(app, tokens):
    return app.get(app.server_metadata["userinfo_endpoint"], token=tokens).status_code


def refuse(provider):
    """The user refuses, and a request that needs the user fails without one."""
    client, user = provider.register("none", "ES256"), provider.user()
    app = App(provider, client)
    request = app.create_authorization_url(REDIRECT, prompt="none")
    user.open(request["url"])
    refused(OAuthError, "login_required", lambda: app.answered(request, user.outside), "a silent request needs a session")
    request = app.create_authorization_url(REDIRECT)
    user.open(request["url"])
    user.log_in()
    user.answer("refuse")
    refused(OAuthError, "access_denied", lambda: app.answered(request, user.outside), "the user refuses")
    request = app.create_authorization_url(REDIRECT, prompt="none")
    user.open(request["url"])
    refused(OAuthError, "consent_required", lambda: app.answered(request, user.outside), "a refusal is no consent")


def main(url, admin_url):
    provider = Provider(url, admin_url)
    for registration in REGISTRATIONS:
        log_in(provider, *registration)
    refuse(provider)
    print("all steps passed")


if __name__ == "__main__":
    main(*sys.argv[1:])
