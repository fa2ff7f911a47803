"""What users do on the hosted pages, in a browser of their own."""

import json
import re
import urllib.parse
import urllib.request

from selenium.webdriver.support.wait import WebDriverWait

from chromium import APP, PATIENCE, Browser
from published_client import Person, admin_token, expect, same

RETURN = APP + "/in"


class Server:
    def __init__(self, url, admin_url):
        self.url, self.admin_url = url, admin_url
        self.seen = set()

    def page(self, path, **query):
        return self.url + path + ("?" + urllib.parse.urlencode(query) if query else "")

    def administer(self, path, body=None):
        request = urllib.request.Request(
            self.admin_url + path,
            data=body and json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {admin_token()}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def create_customer(self):
        """Creates an account that can only log in through its app."""
        person = Person()
        credentials = {"password": {"config": {"password": person.password}}}
        traits = {"phone": person.phone}
        self.administer(
            "/admin/identities", {"schema_id": "customer", "traits": traits, "credentials": credentials}
        )
        return person

    def message(self, address):
        """Returns the message that the development courier has sent to an address since the previous call."""
        query = urllib.parse.urlencode({"recipient": address})

        def fresh(_):
            messages = self.administer(f"/courier/messages?{query}")
            sent = [each for each in messages if "code" in each and each["id"] not in self.seen]
            self.seen.update(each["id"] for each in sent)
            return sent

        return WebDriverWait(None, PATIENCE, poll_frequency=0.02).until(fresh)[-1]

    def code(self, address):
        return self.message(address)["code"]

    def link(self, address):
        return re.search(r"https?://\S+", self.message(address)["body"]).group()


class Visitor(Browser):
    """A user with a browser, who may have an account."""

    def __init__(self, site, server, scripts=False, cookies=True):
        super().__init__(site, scripts, cookies)
        self.server = server
        self.person = Person()

    def visit(self, path, **query):
        self.open(self.server.page(path, **query))

    def sign_up(self):
        """Creates an account with a password, and confirms its address in the same browser."""
        self.begin_sign_up()
        self.submit(code=self.server.code(self.person.email))
        same(self.heading, "Confirmed", "the code confirms the address")
        self.press("a.primary")
        self.expect_account()

    def begin_sign_up(self):
        self.person = Person()
        self.visit("/registration")
        self.submit(traits__email=self.person.email, password=self.person.password)
        same(self.path, "/verification", "a sign-up leads to the confirmation of the address")

    def log_in(self, **query):
        self.visit("/login", **query)
        self.submit(identifier=self.person.email, password=self.person.password)

    def log_out(self):
        self.visit("/logout")
        self.press("button.primary")
        same(self.heading, "You are signed out", "a logout is confirmed")

    def expect_account(self):
        same(self.path, "/welcome", "the page of the account is shown")
        expect(self.person.email in self.text or self.person.phone in self.text, "the page names the account")

    def expect_no_error(self, what):
        status, _ = self.response
        expect(status == 200 and self.path != "/error", f"{what} (status {status}, {self.title})")

    def expect_login_error(self):
        error = "Your sign-in details are incorrect"
        expect(self.title.startswith(error), f"the title begins with the error ({self.title})")
        same(self.field("identifier").get_attribute("value"), self.person.email, "the identifier is kept")
        same(self.field("password").get_attribute("value"), "", "the password is not kept")
        expect(self.person.password not in self.driver.page_source, "the page does not contain a password")

    def expect_code_error(self):
        same(self.heading, "Enter the code", "the page still asks for the code")
        error = self.find("[role=alert]").text
        expect("code" in error and self.title.startswith(error), f"a wrong code is reported ({self.title})")
