"""Runs Glewlwyd, an OpenID provider in C, on loopback for tests, and configures it over its API for administrators."""

import base64
import ctypes
import http.cookiejar
import json
import pathlib
import shutil
import signal
import socket
import sqlite3
import subprocess
import time
import urllib.error
import urllib.request

from cryptography.hazmat.primitives.asymmetric import ec

# Debian's package installs the schema here, and the modules below /usr/lib.
SCHEMA = "/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3"
CONFIGURATION = """
port={port}
bind_address="127.0.0.1"
external_url="http://127.0.0.1:{port}"
login_url="login.html"
api_prefix="api"
static_files_path="/usr/share/glewlwyd/webapp/"
static_files_mime_types=({{ extension=".html" mime_type="text/html" }})
log_mode="console"
log_level="INFO"
cookie_secure=0
admin_scope="g_admin"
profile_scope="g_profile"
user_module_path="/usr/lib/glewlwyd/user"
client_module_path="/usr/lib/glewlwyd/client"
user_auth_scheme_module_path="/usr/lib/glewlwyd/scheme"
plugin_module_path="/usr/lib/glewlwyd/plugin"
hash_algorithm="SHA512"
database={{ type="sqlite3" path="{folder}/database" }};
"""
BOUND_TOKENS = {
    "oauth-dpop-allowed": True,
    "oauth-dpop-iat-duration": 300,
    # The tests advance the client's clock, and Glewlwyd has the system's.
    "oauth-dpop-iat-gap-duration": 86400,
}
NONCES = {"oauth-dpop-nonce-mandatory": True, "oauth-dpop-nonce-counter": 1}
PUSHED_REQUESTS = {
    "oauth-par-allowed": True,
    "oauth-par-required": True,
    "oauth-par-request_uri-prefix": "urn:ietf:params:oauth:request_uri:",
}


class Glewlwyd:
    """A process of Glewlwyd whose files are in a folder. It ends together with this one."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        with sqlite3.connect(self.folder / "database") as database:
            database.executescript(pathlib.Path(SCHEMA).read_text())
        database.close()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
        # Another process may take the free port first.
        for _ in range(5):
            if self.starts():
                return
        raise SystemExit((self.folder / "log").read_text())

    def starts(self):
        """Starts the program, and returns whether the administrator could log in."""
        port = free_port()
        self.url = f"http://127.0.0.1:{port}/api"
        file = self.folder / "glewlwyd.conf"
        file.write_text(CONFIGURATION.format(port=port, folder=self.folder))
        command = shutil.which("glewlwyd") or "/usr/bin/glewlwyd"
        with open(self.folder / "log", "a") as log:
            self.process = subprocess.Popen(
                [command, "--config-file", file], stdout=log, stderr=log, preexec_fn=die_with_parent
            )
        # The schema contains this account.
        administrator = {"username": "admin", "password": "password"}
        deadline = time.monotonic() + 30
        while self.process.poll() is None and time.monotonic() < deadline:
            try:
                self.request("POST", "/auth/", administrator)
                return True
            except OSError:
                time.sleep(0.05)
        self.process.kill()
        self.process.wait()
        return False

    def request(self, method, path, body):
        request = urllib.request.Request(
            self.url + path, json.dumps(body).encode(), {"Content-Type": "application/json"}, method=method
        )
        try:
            self.opener.open(request, timeout=20).close()
        except urllib.error.HTTPError as error:
            raise SystemExit(f"{method} {path}: {error.code} {error.read().decode()}") from None

    def add_user(self, name, password, mail, scopes):
        for scope in scopes:
            if scope != "openid":
                self.request("POST", "/scope/", {"name": scope, "display_name": scope})
        body = {"username": name, "password": password, "email": mail, "scope": scopes, "enabled": True}
        self.request("POST", "/user/", body)

    def add_native_app(self, client, redirect):
        body = {
            "client_id": client,
            "name": "Shop",
            "confidential": False,
            "redirect_uri": [redirect],
            "authorization_type": ["code", "refresh_token", "delete_token"],
            "enabled": True,
        }
        self.request("POST", "/client/", body)

    def add_provider(self, lifespan, options):
        """Adds an OpenID provider with a new ES256 key, and returns its issuer."""
        issuer = self.url + "/oidc"
        parameters = {
            "iss": issuer,
            # Responses contain the issuer, but the metadata don't announce this.
            "oauth-as-iss-id": True,
            "jwks-private": json.dumps({"keys": [private_key()]}),
            "jwks-show": True,
            "access-token-duration": lifespan,
            "auth-type-code-enabled": True,
            "auth-type-refresh-enabled": True,
            "pkce-allowed": True,
            "pkce-required": True,
            "email-claim": "on-demand",
            "email-claim-scope": ["email"],
            "request-parameter-allow": False,
            "introspection-revocation-allowed": True,
            "introspection-revocation-allow-target-client": True,
        }
        body = {"module": "oidc", "name": "oidc", "display_name": "OpenID Connect", "enabled": True}
        self.request("POST", "/mod/plugin/", body | {"parameters": parameters | options})
        return issuer

    def serve_forever(self):
        self.process.wait()


def private_key():
    numbers = ec.generate_private_key(ec.SECP256R1()).private_numbers()
    point = numbers.public_numbers
    values = {"x": point.x, "y": point.y, "d": numbers.private_value}
    encoded = {
        name: base64.urlsafe_b64encode(value.to_bytes(32, "big")).rstrip(b"=").decode()
        for name, value in values.items()
    }
    return {"kty": "EC", "crv": "P-256", "alg": "ES256", "kid": "1"} | encoded


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


def die_with_parent():
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
