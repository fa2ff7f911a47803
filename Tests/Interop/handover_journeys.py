"""Journeys of users who continue the session of an app in their browser, which runs no scripts."""

import requests
from ory_client import models

from published_client import expect, same
from shop import APP
from shop_journeys import ALLOW

EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
TYPE = "urn:latchkey:params:oauth:token-type:"


class App:
    """An app in which a user is logged in, and which may hand its session over to the site."""

    def __init__(self, user, shop):
        clients, url = shop.provider.clients, user.server.url
        self.client = shop.provider.register("none", "ES256", redirect="http://127.0.0.1/callback", name="The app")
        self.site = shop.provider.register("client_secret_post", "ES256", redirect=APP + "/")
        listed = models.JsonPatch(op="add", path="/latchkey/handover_from", value=[self.client.client_id])
        clients.patch_o_auth2_client(self.site.client_id, [listed])
        self.url, self.api = url, url + "/a/self-service"
        flow = requests.get(f"{self.api}/login/api?client_id={self.client.client_id}", timeout=20).json()
        person = user.person
        body = {"method": "password", "identifier": person.email, "password": person.password}
        answer = requests.post(flow["ui"]["action"], json=body, timeout=20)
        same(answer.status_code, 200, "the user logs in in the app")
        self.token = answer.json()["session_token"]

    def address(self):
        """Exchanges the session for a code, and returns the address that the app opens."""
        fields = {
            "grant_type": EXCHANGE,
            "requested_token_type": TYPE + "web-session-code",
            "subject_token": self.token,
            "subject_token_type": TYPE + "session",
            "audience": self.site.client_id,
            "redirect_uri": APP + "/",
        }
        answer = requests.post(self.url + "/oauth2/token", data=fields, timeout=20)
        same(answer.status_code, 200, "the app gets a code")
        return self.url + "/continue?code=" + answer.json()["access_token"]

    def log_out(self):
        answer = requests.delete(f"{self.api}/logout/api", json={"session_token": self.token}, timeout=20)
        same(answer.status_code, 204, "the user logs out in the app")


def follow(user, address):
    """Lets a page of the site lead to an address."""
    user.open(APP + "/")
    user.leave(lambda: user.evaluate("location.assign(arguments[0])", address))


def expect_site(user):
    same(user.address, APP + "/", "the browser is at the site")
    user.visit("/welcome")
    user.expect_account()


def silent(user, shop):
    """The user opens the address, for example because the app has."""
    app = App(user, shop)
    user.start_again()
    address = app.address()
    user.open(address)
    expect_site(user)
    user.open(address)
    same((user.response[0], user.heading), (410, "This link no longer works"), "the code can't be used again")
    app.log_out()
    user.visit("/welcome")
    expect("You are not signed in." in user.text, "the browser's session ends with the app's")


def asked(user, shop):
    """A page leads to the address, so the user is asked, and a session of another user is named."""
    app = App(user, shop)
    user.start_again()
    follow(user, app.address())
    same(user.path, "/continue", "the user is asked")
    expect(user.person.email in user.text, "the page names the account")
    expect("The app" in user.text, "the page names the app")
    user.press(ALLOW)
    expect_site(user)
    user.start_again()


def other_user(user, other, shop):
    app = App(user, shop)
    other.start_again()
    other.log_in()
    other.open(app.address())
    same(other.path, "/continue", "the user is asked")
    expect(user.person.email in other.heading, "the page names the account of the app")
    expect(other.person.email in other.text, "the page names the account of the browser")
    other.visit("/welcome")
    other.expect_account()
    other.start_again()
