"""Puts Apache with mod_auth_openidc, unmodified, in front of a page, and logs users in there: discovery, code with PKCE,
ID tokens, userinfo, a refresh at every request, and revocation at the logout.

usage: apache_openid.py BASE_URL ADMIN_URL
Prints one line for each step and exits with 1 at the first unexpected result.
"""

import contextlib
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import requests

from provider import SCOPE, Provider
from published_client import expect, same

MODULES = "/usr/lib/apache2/modules"
CONFIGURATION = """
ServerRoot "{folder}"
ServerName 127.0.0.1
PidFile "{folder}/pid"
DefaultRuntimeDir "{folder}"
Mutex file:{folder} default
Listen 127.0.0.1:{port}
User www-data
Group www-data
ErrorLog "{folder}/error.log"
DocumentRoot "{folder}/site"
LoadModule mpm_event_module {modules}/mod_mpm_event.so
LoadModule authn_core_module {modules}/mod_authn_core.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LoadModule authz_user_module {modules}/mod_authz_user.so
LoadModule headers_module {modules}/mod_headers.so
LoadModule auth_openidc_module {modules}/mod_auth_openidc.so
OIDCProviderMetadataURL {metadata}
OIDCProviderTokenEndpointAuth {client.token_endpoint_auth_method}
OIDCClientID {client.client_id}
OIDCClientSecret {client.client_secret}
OIDCIDTokenSignedResponseAlg {algorithm}
OIDCPKCEMethod S256
OIDCScope "{scope}"
OIDCRedirectURI http://127.0.0.1:{port}/in/callback
OIDCCryptoPassphrase {client.client_secret}
OIDCPassClaimsAs environment
# Access tokens expire earlier than that, so each request refreshes them.
OIDCRefreshAccessTokenBeforeExpiry 36000
<Location /in>
    AuthType openid-connect
    Require valid-user
    Header set Claim-Sub "%{{OIDC_CLAIM_sub}}e"
    Header set Claim-Email "%{{OIDC_CLAIM_email}}e"
    Header set Claim-Email-Verified "%{{OIDC_CLAIM_email_verified}}e"
    Header set Access-Token "%{{OIDC_access_token}}e"
</Location>
"""


class Apache:
    """A web server that protects one page."""

    def __init__(self, folder, provider, client, algorithm):
        self.folder = pathlib.Path(folder)
        # The web server's workers run as another user.
        self.folder.chmod(0o755)
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        for part in ("in", "out"):
            (self.folder / "site" / part).mkdir(parents=True)
            (self.folder / "site" / part / "page.txt").write_text(part)
        self.file = self.folder / "apache.conf"
        self.file.write_text(
            CONFIGURATION.format(
                folder=folder,
                port=port,
                modules=MODULES,
                metadata=provider.configuration_url,
                client=client,
                algorithm=algorithm,
                scope=SCOPE,
            )
        )

    @contextlib.contextmanager
    def running(self):
        command = shutil.which("apache2", path=os.environ.get("PATH", "") + ":/usr/sbin")
        expect(command, "Apache is installed")
        process = subprocess.Popen([command, "-DFOREGROUND", "-f", str(self.file)])
        try:
            for _ in range(1000):
                with contextlib.suppress(requests.ConnectionError):
                    requests.get(self.url + "/out/page.txt", timeout=20)
                    break
                time.sleep(0.01)
            yield self
        except BaseException:
            print((self.folder / "error.log").read_text()[-3000:])
            raise
        finally:
            process.terminate()
            process.wait(timeout=20)


def log_in(provider, method, algorithm):
    redirect = "http://127.0.0.1/in/callback"
    client, user = provider.register(method, algorithm, redirect=redirect), provider.user()
    # The web server has to traverse the folder and those above it.
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        with Apache(folder, provider, client, algorithm or "RS256").running() as site:
            use(site, provider, user)


def use(site, provider, user):
    browser, address = user.session, site.url + "/in/page.txt"
    answer = browser.get(address, allow_redirects=False, timeout=20)
    same(answer.status_code, 302, "Apache sends the user to the provider")
    page = browser.get(user.authorize(answer.headers["Location"]), timeout=20)
    same((page.status_code, page.url, page.text), (200, address, "in"), "the user gets to see the page")
    found = [page.headers.get(name) for name in ("Claim-Sub", "Claim-Email", "Claim-Email-Verified")]
    same(found, [user.id, user.person.email, "1"], "Apache knows the user's claims")

    again = browser.get(address, timeout=20)
    same((again.status_code, again.text), (200, "in"), "the page can be opened again")
    first, second = page.headers["Access-Token"], again.headers["Access-Token"]
    expect(first != second and status(provider, second) == 200, "Apache refreshes the tokens")

    left = browser.get(site.url + "/in/callback", params={"logout": site.url + "/out/page.txt"}, timeout=20)
    same((left.status_code, left.text), (200, "out"), "the user logs out of the site")
    same(status(provider, second), 401, "Apache has revoked the tokens")
    answer = browser.get(address, allow_redirects=False, timeout=20)
    same(answer.status_code, 302, "the page is protected again")

    user.open(answer.headers["Location"])
    user.answer("refuse")
    page = browser.get(user.outside, timeout=20)
    expect(page.text != "in" and page.headers.get("Claim-Sub") in (None, "(null)"), "a user who refuses isn't let in")


def status(provider, token):
    headers = {"Authorization": "Bearer " + token}
    return requests.get(provider.metadata["userinfo_endpoint"], headers=headers, timeout=20).status_code


def main(url, admin_url):
    provider = Provider(url, admin_url)
    log_in(provider, "client_secret_basic", None)
    log_in(provider, "client_secret_post", "ES256")
    print("all steps passed")


if __name__ == "__main__":
    main(*sys.argv[1:])
