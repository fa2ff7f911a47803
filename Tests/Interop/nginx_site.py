"""Puts nginx in front of a site and of `latchkey serve`, with the configuration that Documentation/provider.md shows.
nginx asks the server for the session of each request (auth_request).

usage: nginx_site.py LATCHKEY
LATCHKEY is the path of the program. Prints one line for each step and exits with 1 at the first unexpected result.
"""

import contextlib
import http.server
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

import requests

from chromium import die_with_parent
from page_visitor import Server
from pages import PageVisitor
from published_client import Person, expect, same

PAGE = pathlib.Path(__file__).parents[2] / "Documentation" / "provider.md"
MODULES = "/usr/lib/nginx/modules"
COOKIE = "ory_kratos_session"
CONFIGURATION = """
load_module {modules}/ndk_http_module.so;
load_module {modules}/ngx_http_set_misc_module.so;
daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
{documented}
}}
"""


def resolve_locally(host, *arguments, original=socket.getaddrinfo):
    """Resolves the hosts of the document to this machine."""
    return original("127.0.0.1" if host.endswith(".example.com") else host, *arguments)


socket.getaddrinfo = resolve_locally


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


def documented(port, site_port, server_port):
    """Returns the configuration in the document, with the addresses of this run."""
    (text,) = re.findall(r"```nginx\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    for wanted, actual in (
        ("listen 443 ssl;", f"listen 127.0.0.1:{port};"),
        ("https://app.example.com", f"http://app.example.com:{port}"),
        ("https://id.example.com", f"http://id.example.com:{server_port}"),
        ("http://127.0.0.1:3000;", f"http://127.0.0.1:{site_port};"),
        ("http://127.0.0.1:4433/", f"http://127.0.0.1:{server_port}/"),
    ):
        expect(wanted in text, f"the document contains {wanted}")
        text = text.replace(wanted, actual)
    return text


class Site:
    """The site behind nginx, which answers with what it has received."""

    def __init__(self):
        self.requests = 0
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                site.requests += 1
                body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
                found = {"path": self.path, "method": self.command, "body": body}
                fields = [[name.lower().replace("_", "-"), value] for name, value in self.headers.items()]
                self.send_response(401 if self.path == "/own/401" else 200)
                self.end_headers()
                self.wfile.write(json.dumps({**found, "fields": fields}).encode())

            do_POST = do_GET

            def log_message(self, *arguments):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.port = server.server_address[1]


class IdentityServer:
    """The program `latchkey serve`, which can be stopped and started again."""

    def __init__(self, program, folder, site):
        self.port = free_port()
        self.url = f"http://id.example.com:{self.port}"
        self.data = folder / "data"
        self.command = [
            program, "serve", "--data", self.data, "--port", self.port, "--admin-port", "0", "--url", self.url,
            "--cookies-domain", "example.com", "--flows-return-urls", site + "/", "--log-level", "error",
            "--identities-default-schema", "person", "--courier-allow-development", "true",
            "--passwords-memory-kib", "8", "--passwords-passes", "1",
        ]

    def start(self):
        # A server that gets its token from the environment doesn't write it to a file.
        os.environ.pop("LATCHKEY_ADMIN_TOKEN", None)
        self.process = subprocess.Popen(
            [str(part) for part in self.command],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, preexec_fn=die_with_parent,
        )
        output = ""
        for line in self.process.stdout:
            output += line
            if line.startswith("Data "):
                break
        else:
            expect(False, f"the server starts:\n{output}")
        addresses = [word for word in output.split() if word.startswith("http://")]
        os.environ["LATCHKEY_ADMIN_TOKEN"] = (self.data / "admin.token").read_text().strip()
        self.admin = Server(self.url, addresses[-1])

    def stop(self):
        self.process.terminate()
        self.process.communicate(timeout=20)

    def create_user(self):
        """Creates an account, and returns a browser that isn't logged in."""
        person = Person()
        password = {"config": {"password": person.password}}
        body = {"schema_id": "person", "traits": person.traits, "credentials": {"password": password}}
        visitor = PageVisitor(self.url, person)
        visitor.id = self.admin.administer("/admin/identities", body)["id"]
        return visitor

    def native_session(self, person):
        """Logs a user in as an app does, and returns the session's token."""
        flow = requests.get(f"{self.url}/a/self-service/login/api", timeout=20).json()["id"]
        body = {"method": "password", "identifier": person.email, "password": person.password}
        answer = requests.post(f"{self.url}/a/self-service/login", params={"flow": flow}, json=body, timeout=20)
        return answer.json()["session_token"]

    def revoke_sessions(self, user):
        answer = requests.delete(
            f"{self.admin.admin_url}/admin/identities/{user.id}/sessions",
            headers={"Authorization": f"Bearer {os.environ['LATCHKEY_ADMIN_TOKEN']}"},
            timeout=20,
        )
        same(answer.status_code, 204, "the operator revokes the user's sessions")


@contextlib.contextmanager
def nginx(folder, url, configuration):
    program = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")
    expect(program, "nginx is installed")
    file, log = folder / "nginx.conf", folder / "error.log"
    file.write_text(CONFIGURATION.format(folder=folder, modules=MODULES, documented=configuration))
    # The program opens its default log before it reads the file.
    process = subprocess.Popen(
        [program, "-e", log, "-p", folder, "-c", file], preexec_fn=die_with_parent
    )
    try:
        for _ in range(1000):
            with contextlib.suppress(requests.ConnectionError):
                requests.get(url + "/public/", timeout=20)
                break
            time.sleep(0.01)
        yield
    except BaseException:
        print(log.read_text()[-3000:])
        raise
    finally:
        process.terminate()
        process.wait(timeout=20)


class Front:
    """The site as visitors reach it: through nginx."""

    def __init__(self, url, site, server):
        self.url, self.site, self.server = url, site, server

    def request(self, path, browser=requests, method="GET", **options):
        return browser.request(method, self.url + path, allow_redirects=False, timeout=20, **options)

    def passes(self, what, path="/orders", browser=requests, **options):
        """Expects the site to get a request, and returns what it has received."""
        answer = self.request(path, browser, **options)
        same(answer.status_code, 200, what)
        found = answer.json()
        same(found["path"], path, "the site gets the path unchanged")
        found["identities"] = [value for name, value in found["fields"] if name == "x-identity-id"]
        found["cookies"] = [value for name, value in found["fields"] if name == "cookie"]
        return found

    def refuses(self, what, path="/orders", browser=requests, wanted=None, **options):
        """Expects a visitor to be sent to the login page, and returns its address."""
        seen = self.site.requests
        answer = self.request(path, browser, **options)
        login = urllib.parse.urlsplit(answer.headers.get("Location", ""))
        same((answer.status_code, login.path), (303, "/login"), what)
        query = urllib.parse.parse_qsl(login.query, strict_parsing=True)
        same(query, [("return_to", self.url + (wanted or path))], "the login leads back to the page")
        same(self.site.requests, seen, "the site doesn't get the request")
        return login.geturl()

    def fails(self, what, **options):
        seen = self.site.requests
        answer = self.request("/orders", **options)
        same((answer.status_code, answer.headers.get("Location")), (500, None), what)
        same(self.site.requests, seen, "the site doesn't get the request")


FORGED = [
    {"X-Identity-Id": "forged"},
    {"x-identity-id": "forged"},
    {"X_Identity_Id": "forged"},
    {"X-Kratos-Authenticated-Identity-Id": "forged", "X-Identity-Id": "forged"},
]
# Addresses whose characters have a meaning in queries.
ADDRESSES = ["/orders?from=1&to=2", "/caf%C3%A9/a%26b?q=c%2Bd+e%23&return_to=https://evil.example/", "/&refresh=true"]


def public_pages(front):
    for headers in [{}, *FORGED]:
        found = front.passes(f"a public page needs no session {headers}", "/public/", headers=headers)
        same(found["identities"], [], "a visitor of a public page can't set the identity")
    for path in ("/public/../orders", "/public/%2e%2e/orders", "/public/..%2Forders"):
        opener = requests.Session()
        request = requests.Request("GET", front.url).prepare()
        request.url = front.url + path
        answer = opener.send(request, allow_redirects=False, timeout=20)
        same(answer.status_code, 303, f"{path} isn't a public page")


def logins(front):
    """Logs users in who have opened various addresses."""
    for path in ADDRESSES:
        user = front.server.create_user()
        user.open(front.refuses(f"{path} needs a login", path))
        user.log_in()
        same(user.outside, front.url + path, "the user comes back to the page")
        found = front.passes("the page is shown", path, user.session)
        same(found["identities"], [user.id], "the site knows who the user is")
    for path in ("/orders?" + "x" * 500, "/caf\u00e9".encode()):
        path = path if isinstance(path, str) else path.decode()
        answer = front.request(path)
        user.session.cookies.clear()
        user.open(answer.headers["Location"])
        user.log_in()
        expect(user.outside.startswith(front.url + "/"), "a user with an unusual address comes back to the site")
    same(front.request("/session").status_code, 404, "the question for the session isn't a page")
    return user


def headers(front, user):
    for forged in FORGED:
        found = front.passes(f"a forged header field {forged}", browser=user.session, headers=forged)
        same(found["identities"], [user.id], "the visitor can't replace the identity")
    session = user.session.cookies[COOKIE]
    for cookies, passed in (
        (f"{COOKIE}={session}", []),
        (f"a=1; {COOKIE}={session}", ["a=1; "]),
        (f"{COOKIE}={session}; b=2", ["b=2"]),
        (f"a=1; {COOKIE}={session}; b=2", ["a=1; b=2"]),
        (f"x_{COOKIE}=1; {COOKIE}={session}", [f"x_{COOKIE}=1; "]),
        (f"{COOKIE}={session}; x_{COOKIE}=1", [f"x_{COOKIE}=1"]),
        (f"{COOKIE}={session}; a=1; {COOKIE}=forged", []),
    ):
        found = front.passes("the session is found among cookies", headers={"Cookie": cookies})
        same(found["cookies"], passed, "the site gets only its own cookies")
    large = {"Cookie": "; ".join([f"a{number}={'x' * 900}" for number in range(5)] + [f"{COOKIE}={session}"])}
    front.passes("large cookies of the site lock out no user", headers=large)
    found = front.passes("a form is sent", browser=user.session, method="POST", data={"item": "1"})
    same((found["method"], found["body"]), ("POST", "item=1"), "the site gets the form unchanged")
    same(front.request("/own/401", user.session).status_code, 401, "the site can refuse a request itself")


def forged_sessions(front, user):
    session = user.session.cookies[COOKIE]
    changed = session[:-1] + ("A" if session[-1] != "A" else "B")
    token = front.server.native_session(user.person)
    for what, fields in {
        "an empty cookie": {"Cookie": f"{COOKIE}="},
        "an invented session": {"Cookie": f"{COOKIE}=lk_bs_{'A' * 43}"},
        "a changed session": {"Cookie": f"{COOKIE}={changed}"},
        "a session in another cookie": {"Cookie": f"x_{COOKIE}={session}"},
        "an app's token in the cookie": {"Cookie": f"{COOKIE}={token}"},
        "an app's token in X-Session-Token": {"X-Session-Token": token},
        "an app's token in Authorization": {"Authorization": f"Bearer {token}"},
        "an identity": {"X-Identity-Id": user.id, "X-Kratos-Authenticated-Identity-Id": user.id},
    }.items():
        front.refuses(f"{what} isn't a session", headers=fields)
    front.refuses("a form without a session isn't sent", method="POST", data={"item": "1"})


def ended_sessions(front, user):
    front.passes("the user is logged in", browser=user.session)
    front.server.revoke_sessions(user)
    user.open(front.refuses("a revoked session is refused", browser=user.session))
    user.log_in()
    front.passes("the user logs in again", browser=user.session)
    session = user.session.cookies[COOKIE]
    user.open(front.server.url + "/logout?return_to=" + front.url + "/public/")
    user.submit()
    same(user.outside, front.url + "/public/", "a logout leads to the site")
    front.refuses("a session is refused after the logout", headers={"Cookie": f"{COOKIE}={session}"})


def outage(front, user):
    user.open(front.refuses("nobody is logged in", browser=user.session))
    user.log_in()
    front.server.stop()
    front.fails("a user isn't let in during an outage", browser=user.session)
    front.fails("a visitor isn't sent to the login page during an outage")
    front.passes("public pages are shown during an outage", "/public/")
    front.server.start()
    found = front.passes("the user is still logged in after the outage", browser=user.session)
    same(found["identities"], [user.id], "the site knows the user again")


def main(program):
    # nginx's workers run as another user, and have to traverse the folder.
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        folder = pathlib.Path(folder)
        folder.chmod(0o755)
        port, site = free_port(), Site()
        url = f"http://app.example.com:{port}"
        server = IdentityServer(program, folder, url)
        server.start()
        with nginx(folder, url, documented(port, site.port, server.port)):
            front = Front(url, site, server)
            public_pages(front)
            user = logins(front)
            headers(front, user)
            forged_sessions(front, user)
            ended_sessions(front, user)
            outage(front, user)
        server.stop()
    print("all steps passed")


if __name__ == "__main__":
    main(*sys.argv[1:])
