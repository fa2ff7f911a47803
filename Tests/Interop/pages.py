"""The hosted pages, used without a browser: links, forms and redirects, as a browser without scripts handles them."""

import html.parser
import urllib.parse

import requests

from published_client import expect, same


class Form:
    """A form with the values that a browser submits if the user changes no field."""

    def __init__(self, action):
        self.action = action
        self.fields, self.buttons = {}, []

    def add(self, kind, attributes):
        name, value = attributes.get("name"), attributes.get("value") or ""
        if kind == "button" or attributes.get("type") == "submit":
            self.buttons.append((name, value))
        elif attributes.get("type") in ("checkbox", "radio"):
            if "checked" in attributes:
                self.fields.setdefault(name, []).append(value or "on")
        elif name:
            self.fields.setdefault(name, []).append(value)


class FormReader(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.forms, self.is_inside = [], False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "form":
            self.forms.append(Form(attributes.get("action")))
            self.is_inside = True
        elif tag in ("input", "button") and self.is_inside:
            self.forms[-1].add(tag, attributes)

    def handle_endtag(self, tag):
        if tag == "form":
            self.is_inside = False


class PageVisitor:
    """A user with an account, whose browser is followed until it leaves the server."""

    def __init__(self, url, person):
        self.url, self.person = url, person
        self.session = requests.Session()
        self.address = self.page = self.outside = None

    @property
    def path(self):
        return urllib.parse.urlsplit(self.address).path

    def open(self, address):
        self._follow(self.session.get(address, allow_redirects=False, timeout=20))

    def submit(self, button=None, **fields):
        """Submits the form that has these fields, or this button, with all other fields unchanged."""
        wanted = {name.replace("__", "."): [value] for name, value in fields.items()}
        for form in FormReader(self.page).forms:
            if wanted.keys() <= form.fields.keys() and (button is None or button in form.buttons):
                break
        else:
            expect(False, f"{self.path} has a form with {sorted(wanted)} and {button}")
        pressed = button or form.buttons[0]
        data = {**form.fields, **wanted, **({pressed[0]: [pressed[1]]} if pressed[0] else {})}
        address = urllib.parse.urljoin(self.address, form.action or self.address)
        self._follow(self.session.post(address, data=data, allow_redirects=False, timeout=20))

    def _follow(self, response):
        """Follows redirects to pages of the server, and remembers the first address outside."""
        self.outside = None
        while response.is_redirect:
            address = urllib.parse.urljoin(response.url, response.headers["Location"])
            if not address.startswith(self.url + "/"):
                self.outside = address
                return
            response = self.session.get(address, allow_redirects=False, timeout=20)
        self.address, self.page = response.url, response.text
        expect(response.status_code == 200, f"{self.path} is shown ({response.status_code})")

    def log_in(self):
        same(self.path, "/login", "the user has to log in")
        self.submit(identifier=self.person.email, password=self.person.password)

    def answer(self, decision):
        same(self.path, "/consent", "the user is asked about the client")
        self.submit(("decision", decision))

    def authorize(self, address):
        """Opens an authorization request, does what the pages ask for, and returns the address of the client."""
        self.open(address)
        if self.outside is None and self.path == "/login":
            self.log_in()
        if self.outside is None and self.path == "/consent":
            self.answer("approve")
        expect(self.outside, "the user is sent back to the client")
        return self.outside
