"""Runs a published OpenID provider on loopback for tests, with a user and a native app.

usage: openid_provider.py KIND FOLDER

    mock         oidc-provider-mock, which ignores PKCE, uses a refresh token several times, and can't revoke tokens
    mock-access  the same, but it issues only access tokens
    django       django-oauth-toolkit below a path, which requires PKCE and rotates refresh tokens. Its endpoint
                 for revocation is listed in the metadata of RFC 8414, but not in those of OpenID Connect
    glewlwyd     Glewlwyd, which requires PKCE and pushed requests, binds tokens to a key and rotates refresh tokens. Its
                 page needs scripts, and its endpoint for revocation rejects clients without a secret
    glewlwyd-nonces
                 the same, but it requires nonces in proofs instead of pushed requests, and doesn't rotate refresh tokens
    glewlwyd-bearer
                 the same as the first one, but with bearer tokens, without pushed requests and rotation

Prints the issuer on a line once the provider is listening, and ends when it gets a signal. Glewlwyd's database,
configuration and log are in FOLDER. Everything else is in memory.
"""

import os
import sys

CLIENT, REDIRECT = "shop-app", "com.example.shop:/callback"
NAME, PASSWORD, MAIL = "person", "Plenty-of-Salt-1", "person@example.org"
LIFESPAN = 3600


def mock_provider(issues_refresh_tokens):
    import oidc_provider_mock
    import werkzeug.serving
    from oidc_provider_mock._app import AuthorizationCodeGrant, RefreshTokenGrant
    from oidc_provider_mock._storage import Client, storage

    os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
    # By default, the token endpoint requires a secret, which a native app doesn't have.
    for grant in (AuthorizationCodeGrant, RefreshTokenGrant):
        grant.TOKEN_ENDPOINT_AUTH_METHODS = ["none"]
    user = oidc_provider_mock.User(sub=NAME, claims={"email": MAIL})
    app = oidc_provider_mock.app(
        require_client_registration=True, issue_refresh_token=issues_refresh_tokens, user_claims=[user]
    )
    # The registration endpoint accepts only http and https as schemes of redirect URIs.
    with app.test_request_context():
        app.preprocess_request()
        storage.store_client(
            Client(
                id=CLIENT,
                secret="",
                redirect_uris=[REDIRECT],
                allowed_scopes=Client.SCOPES_SUPPORTED,
                token_endpoint_auth_method="none",
            )
        )
    server = werkzeug.serving.make_server("127.0.0.1", 0, app, threaded=True)
    return server, f"http://127.0.0.1:{server.server_port}"


def django_provider():
    import django
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa
    from django.conf import settings
    from django.core.management import call_command
    from django.core.servers.basehttp import WSGIRequestHandler, WSGIServer
    from django.core.wsgi import get_wsgi_application
    from django.urls import include, path

    os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    login = "{% csrf_token %}{{ form }}"
    templates = {"registration/login.html": f'<form method="post">{login}<input type="submit"></form>'}
    settings.configure(
        SECRET_KEY="a secret of the provider",
        ALLOWED_HOSTS=["127.0.0.1"],
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        USE_TZ=True,
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
        STATIC_URL="/static/",
        INSTALLED_APPS=[
            "django.contrib.contenttypes",
            "django.contrib.auth",
            "django.contrib.sessions",
            "django.contrib.staticfiles",
            "oauth2_provider",
        ],
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.middleware.csrf.CsrfViewMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
        ],
        TEMPLATES=[
            {
                "BACKEND": "django.template.backends.django.DjangoTemplates",
                "OPTIONS": {
                    "context_processors": ["django.template.context_processors.request"],
                    "loaders": [
                        ("django.template.loaders.locmem.Loader", templates),
                        "django.template.loaders.app_directories.Loader",
                    ],
                },
            }
        ],
        OAUTH2_PROVIDER={
            "OIDC_ENABLED": True,
            "OIDC_RSA_PRIVATE_KEY": key.decode(),
            "PKCE_REQUIRED": True,
            "ALLOWED_REDIRECT_URI_SCHEMES": ["com.example.shop"],
            "SCOPES": {"openid": "Your account", "profile": "Your name", "email": "Your e-mail address"},
            "ACCESS_TOKEN_EXPIRE_SECONDS": LIFESPAN,
            "REFRESH_TOKEN_EXPIRE_SECONDS": 86400,
        },
    )
    django.setup()
    call_command("migrate", verbosity=0)

    from django.contrib.auth import get_user_model
    from oauth2_provider.models import get_application_model
    from oauth2_provider.urls import metadata_urlpatterns

    settings.ROOT_URLCONF = (
        path("accounts/", include("django.contrib.auth.urls")),
        path("o/", include("oauth2_provider.urls")),
        # RFC 8414 inserts its path between the host and the path of the issuer.
        path("", include((metadata_urlpatterns, "metadata"))),
    )

    get_user_model().objects.create_user(NAME, MAIL, PASSWORD)
    application = get_application_model()(
        client_id=CLIENT,
        name="Shop",
        client_type="public",
        authorization_grant_type="authorization-code",
        algorithm="RS256",
        redirect_uris=REDIRECT,
    )
    application.full_clean(exclude=["client_secret", "user"])
    application.save()

    class Handler(WSGIRequestHandler):
        def log_message(self, *arguments):
            pass

    # A database in memory belongs to one thread.
    server = WSGIServer(("127.0.0.1", 0), Handler)
    server.set_app(get_wsgi_application())
    return server, f"http://127.0.0.1:{server.server_port}/o"


def glewlwyd_provider(kind, folder):
    from glewlwyd import BOUND_TOKENS, NONCES, PUSHED_REQUESTS, Glewlwyd

    options = {
        "glewlwyd": BOUND_TOKENS | PUSHED_REQUESTS | {"refresh-token-one-use": "always"},
        # The endpoint for pushed requests rejects proofs without a nonce, but doesn't send one.
        "glewlwyd-nonces": BOUND_TOKENS | NONCES,
        "glewlwyd-bearer": {},
    }
    server = Glewlwyd(folder)
    server.add_user(NAME, PASSWORD, MAIL, ["openid", "profile", "email"])
    server.add_native_app(CLIENT, REDIRECT)
    return server, server.add_provider(LIFESPAN, options[kind])


def main(kind, folder):
    if kind == "django":
        server, issuer = django_provider()
    elif kind.startswith("glewlwyd"):
        server, issuer = glewlwyd_provider(kind, folder)
    else:
        server, issuer = mock_provider(issues_refresh_tokens=kind == "mock")
    print(issuer, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
