"""A Django site with mozilla-django-oidc, unmodified, that browsers can open: users log in with the provider."""

import html
import json
import ssl
import subprocess
import threading
from urllib.parse import quote

import requests
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse
from django.test import Client, override_settings

import django_site
from published_client import expect, same

# Chromium resolves this name to the site. Only redirect URIs with https prove who asks.
HOST = "app.example.com"
APP = "https://" + HOST
CALLBACK = APP + "/oidc/callback/"
# Errors of the site explain why a journey fails.
LOGGING = {
    "version": 1,
    "handlers": {"console": {"class": "logging.StreamHandler"}},
    "loggers": {"django.request": {"handlers": ["console"], "level": "ERROR"}},
}
NO_USER = "You are not logged in"
# A browser that runs scripts changes the title.
PAGE = """<!DOCTYPE html><html lang=en><title>The shop</title><link rel=icon href=data:,>
<script>document.title = "Scripts"</script>
<h1>{user}</h1><pre>{claims}</pre><a href=/oidc/authenticate/>Log in</a>
<form action=/oidc/logout/ method=post><button>Log out</button></form></html>"""


def tls(folder):
    """Returns a TLS context with a new certificate, which no browser trusts."""
    key, certificate = folder + "/key.pem", folder + "/certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
         "-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}", "-keyout", key, "-out", certificate],
        check=True, capture_output=True,
    )
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    return context


class Shop:
    """The site, with one client of the provider at a time."""

    def __init__(self, provider, folder):
        self.provider = provider
        django_site.prepare(
            provider,
            self._page,
            HOST,
            folder + "/site.db",
            OIDC_RP_SCOPES="openid profile email phone",
            OIDC_STORE_ACCESS_TOKEN=True,
            LOGIN_REDIRECT_URL_FAILURE="/?failed",
            LOGOUT_REDIRECT_URL="/",
            LOGGING=LOGGING,
        )

        class Handler(WSGIRequestHandler):
            def log_message(self, *arguments):
                pass

        server = ThreadedWSGIServer(("127.0.0.1", 0), Handler)
        server.set_app(get_wsgi_application())
        server.base_environ["HTTPS"] = "on"
        # Connections that the browser opens in advance must not delay others.
        server.socket = tls(folder).wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.port = server.server_address[1]

    def _page(self, request):
        claims, user = {}, NO_USER
        if request.user.is_authenticated:
            user = request.user.email
            headers = {"Authorization": "Bearer " + request.session["oidc_access_token"]}
            answer = requests.get(self.provider.metadata["userinfo_endpoint"], headers=headers, timeout=20)
            answer.raise_for_status()
            claims = answer.json()
        return HttpResponse(PAGE.format(user=html.escape(user), claims=html.escape(json.dumps(claims))))

    def client(self, **metadata):
        return self.provider.register("client_secret_post", "ES256", redirect=CALLBACK, **metadata)

    def using(self, client):
        """Returns a context in which the site is this client."""
        return django_site.Site(client, "ES256", True)

    def asking(self, **parameters):
        """Returns a context in which the site adds parameters to its requests."""
        return override_settings(OIDC_AUTH_REQUEST_EXTRA_PARAMS=parameters)

    def request(self, redirect=None):
        """Returns the address of a new authorization request, which no browser has opened."""
        address = Client(SERVER_NAME=HOST).get("/oidc/authenticate/", secure=True).headers["Location"]
        return address.replace(quote(CALLBACK, ""), quote(redirect or CALLBACK, ""))


def begin(user):
    """Follows the site's link to the provider."""
    user.open(APP + "/")
    user.press("a")


def claims(user, person=None):
    """Expects the user to be logged in at the site, and returns the claims that the site has got."""
    expect(user.address.startswith(APP + "/"), f"the user comes back to the site ({user.address})")
    same(user.heading, (person or user.person).email, "the site knows the user")
    same(user.title, "The shop", "the browser runs no scripts")
    return json.loads(user.find("pre").text)


def expect_refusal(user):
    same(user.address, APP + "/?failed", "the site learns of the refusal")
    same(user.heading, NO_USER, "no user is logged in at the site")


def leave(user):
    """Logs the user out of the site, but not of the provider."""
    user.open(APP + "/")
    user.press("button")
    same(user.heading, NO_USER, "the user is logged out of the site")
