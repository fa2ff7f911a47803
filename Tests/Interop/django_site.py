"""Logs users in at a Django site with mozilla-django-oidc, unmodified: code with and without PKCE, RS256 by default,
and userinfo. The site runs in this process.

usage: django_site.py BASE_URL ADMIN_URL
Prints one line for each step and exits with 1 at the first unexpected result.
"""

import sys

import django
from django.conf import settings
from django.core.management import call_command
from django.http import HttpResponse
from django.test import Client, override_settings
from django.urls import include, path

from provider import Provider, parameters
from published_client import same

HOST = "shop.example.com"
REDIRECT = f"https://{HOST}/oidc/callback/"


def page(request):
    return HttpResponse(request.user.email if request.user.is_authenticated else "no user")


def prepare(provider, page=page, host=HOST, database=":memory:", **others):
    settings.configure(
        SECRET_KEY="a secret of the site",
        ALLOWED_HOSTS=[host],
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": database}},
        INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "django.contrib.sessions", "mozilla_django_oidc"],
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
        ],
        AUTHENTICATION_BACKENDS=["mozilla_django_oidc.auth.OIDCAuthenticationBackend"],
        LOGIN_REDIRECT_URL="/",
        OIDC_OP_AUTHORIZATION_ENDPOINT=provider.metadata["authorization_endpoint"],
        OIDC_OP_TOKEN_ENDPOINT=provider.metadata["token_endpoint"],
        OIDC_OP_USER_ENDPOINT=provider.metadata["userinfo_endpoint"],
        OIDC_OP_JWKS_ENDPOINT=provider.metadata["jwks_uri"],
        **others,
    )
    # The package reads the settings when its addresses are included.
    settings.ROOT_URLCONF = (path("", page), path("oidc/", include("mozilla_django_oidc.urls")))
    django.setup()
    call_command("migrate", verbosity=0)


def log_in(provider, method, algorithm, pkce):
    client = provider.register(method, algorithm, redirect=REDIRECT, pkce="required" if pkce else "optional")
    user = provider.user()
    with Site(client, algorithm, pkce) as browser:
        answer = browser.get("/oidc/authenticate/", secure=True)
        same("code_challenge" in answer.headers["Location"], pkce, "the site uses PKCE as it is configured")
        callback = user.authorize(answer.headers["Location"])
        answer = browser.get(callback, secure=True)
        same((answer.status_code, answer.headers["Location"]), (302, "/"), "the site accepts the response")
        same(browser.get("/", secure=True).content.decode(), user.person.email, "the user is logged in at the site")


def refuse(provider):
    """A site that doesn't use PKCE needs a client for which PKCE is optional."""
    client, user = provider.register("client_secret_post", redirect=REDIRECT), provider.user()
    with Site(client, None, False) as browser:
        answer = browser.get("/oidc/authenticate/", secure=True)
        user.open(answer.headers["Location"])
        same(parameters(user.outside)["error"], "invalid_request", "a request without PKCE is rejected")
        browser.get(user.outside, secure=True)
        same(browser.get("/", secure=True).content.decode(), "no user", "no user is logged in at the site")


class Site(override_settings):
    """The site with the settings of a client, and a browser that uses it."""

    def __init__(self, client, algorithm, pkce):
        super().__init__(
            OIDC_RP_CLIENT_ID=client.client_id,
            OIDC_RP_CLIENT_SECRET=client.client_secret,
            OIDC_RP_SIGN_ALGO=algorithm or "RS256",
            OIDC_TOKEN_USE_BASIC_AUTH=client.token_endpoint_auth_method == "client_secret_basic",
            OIDC_USE_PKCE=pkce,
        )

    def __enter__(self):
        super().__enter__()
        return Client(SERVER_NAME=HOST)


def main(url, admin_url):
    provider = Provider(url, admin_url)
    prepare(provider)
    log_in(provider, "client_secret_post", None, pkce=True)
    log_in(provider, "client_secret_basic", "ES256", pkce=True)
    log_in(provider, "client_secret_post", None, pkce=False)
    refuse(provider)
    print("all steps passed")


if __name__ == "__main__":
    main(*sys.argv[1:])
