"""Logs a user in to an app that opens the hosted pages in headless Chromium, which runs no scripts.

The script receives the server's messages over HTTP, and prints the port first. It then expects one login for each
journey: the app appends the address of the page to FOLDER/pages. A line is printed when the browser is back at the app.
At the end, FOLDER/secrets.json lists what the user has received and what the browser has sent.

usage: app_in_chromium.py FOLDER
"""

import http.server
import json
import pathlib
import sys
import threading
import urllib.parse

from selenium.webdriver.support.wait import WebDriverWait

from chromium import PATIENCE, Browser, Site, require_chromium
from page_visitor import Visitor
from pages_in_chromium import Steps
from published_client import Person, expect, same, wrong

APP, OTHER_APP = "The shop app", "The reader"
# The text of the page that the app itself shows at the end.
RETURNED = "You can close this page and return to the app."
# Parameters whose values the server may log.
PUBLIC = {"account", "client_id", "decision", "error", "error_description", "grant_scope", "iss", "method"}


def await_first(found):
    """Waits until a function returns a list that isn't empty, and returns its first element."""
    return WebDriverWait(None, PATIENCE, poll_frequency=0.02).until(lambda _: found())[0]


class Messages:
    """A provider of e-mail and text messages, which is sent the recipient and the code of each."""

    def __init__(self):
        self.received, self.used = [], set()
        messages = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                messages.received.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *arguments):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.port = server.server_address[1]

    def code(self, address):
        """Returns the code that was sent to an address since the previous call."""

        def unused():
            sent = {each["code"] for each in self.received if each["to"] == address and each["code"]}
            return list(sent - self.used)

        code = await_first(unused)
        self.used.add(code)
        return code


class App:
    """An app, whose logins the user completes one after another."""

    def __init__(self, folder):
        self.pages, self.logins = folder / "pages", 0

    def open_page(self, user, name=APP):
        """Opens the page that the app has chosen for its next login."""

        def addresses():
            lines = self.pages.read_text().splitlines(keepends=True) if self.pages.exists() else []
            return [line.strip() for line in lines[self.logins :] if line.endswith("\n")]

        user.open(await_first(addresses))
        self.logins += 1
        same((user.path, user.heading), ("/login", "Sign in"), "the user has to log in")
        expect(f"Sign in to continue to {name}." in user.text, "the page names the app")


def log_in(user):
    user.submit(identifier=user.person.email, password=user.person.password)


def expect_return(user):
    page = urllib.parse.urlsplit(user.address)
    same((page.hostname, page.path), ("127.0.0.1", "/callback"), "the browser is back at the app")
    same((user.text, user.title), (RETURNED, RETURNED), "the browser shows the page of the app")
    same(user.response[0], 200, "the page of the app is not an error")
    same(user.console(), [], "the browser has reported no error")


def sign_up(user, app):
    app.open_page(user)
    user.press('.links a[href*="registration"]')
    expect(f"Then you can continue to {APP}." in user.text, "the sign-up belongs to the request")
    person = user.person
    user.submit(traits__email=person.email, traits__phone=person.phone, password=person.password)
    same((user.path, user.heading), ("/verification", "Enter the code"), "the phone number is confirmed first")
    user.submit(code=user.server.code(person.phone))
    expect_return(user)


def passwords(user, app):
    app.open_page(user)
    user.submit(identifier=user.person.email, password="not-" + user.person.password)
    user.expect_login_error()
    user.submit(password=user.person.password)
    expect_return(user)


def codes(user, app):
    app.open_page(user)
    user.fill(identifier=user.person.phone)
    user.press("button[value=code]")
    code = user.server.code(user.person.phone)
    user.submit(code=wrong(code))
    user.expect_code_error()
    user.submit(code=code)
    expect_return(user)


def recovery(user, app):
    app.open_page(user)
    user.press('.links a[href*="recovery"]')
    user.submit(email=user.person.phone)
    user.submit(code=user.server.code(user.person.phone))
    same(user.heading, "Set a new password", "a recovery asks for a new password")
    user.person.password = Person().password
    user.submit(password=user.person.password)
    expect_return(user)


def answer(user, app, decision):
    """Logs in to an app of another vendor, and answers the question about it."""
    app.open_page(user, OTHER_APP)
    log_in(user)
    same(user.path, "/consent", "the user is asked about the app")
    same(user.heading, f"{OTHER_APP} asks for access to your account", "the page names the app")
    expect("You will return to an app on this device." in user.text, "the page says where the browser returns to")
    expect(user.all("input[value=email]"), "the page lists what the app asks for")
    user.press(f"button[value={decision}]")
    expect_return(user)


def refusal(user, app):
    answer(user, app, "refuse")


def consent(user, app):
    answer(user, app, "approve")


# The journeys, in the order of the app's logins.
JOURNEYS = {
    "sign-up": sign_up,
    "password": passwords,
    "code": codes,
    "recovery": recovery,
    "refusal": refusal,
    "consent": consent,
    "command": passwords,
}


def secrets(user):
    """Returns lists of values that only the user, the browser, the app and the server may know, by their names."""
    found = {}

    def add(name, values):
        found.setdefault(name, []).extend(value for value in values if value)

    def add_parameters(place, text):
        for name, value in urllib.parse.parse_qsl(text):
            if name not in PUBLIC:
                add(f"{place} {name}", [value])

    for each in user.server.received:
        add("recipient", [each["to"]])
        add("message code", [each["code"]])
    for event, details in user.take_log():
        if event == "Network.requestWillBeSent":
            add_parameters("query", urllib.parse.urlsplit(details["request"]["url"]).query)
            add_parameters("form", details["request"].get("postData", ""))
        elif event == "Network.requestWillBeSentExtraInfo":
            for cookie in filter(None, details["headers"].get("Cookie", "").split("; ")):
                # The browser's own name has a random suffix.
                name, _, value = cookie.partition("=")
                add(f"cookie {name.partition('_')[0]}", [value])
    return {name: sorted(set(values)) for name, values in found.items()}


def main(folder):
    folder, messages, steps = pathlib.Path(folder), Messages(), Steps()
    print(f"port {messages.port}", flush=True)
    require_chromium()
    try:
        user, app = Visitor(Site(), messages), App(folder)
        for name, journey in JOURNEYS.items():
            steps.run(name, journey, user, app)
            # The app still waits for a login that has failed, so no other one can follow.
            if steps.failed:
                break
            print(f"returned: {name}", flush=True)
        (folder / "secrets.json").write_text(json.dumps(secrets(user)))
    finally:
        Browser.close_all()
    steps.finish()


if __name__ == "__main__":
    main(*sys.argv[1:])
