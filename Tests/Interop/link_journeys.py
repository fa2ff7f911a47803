"""Journeys of users who sign up in an app and continue with a mailed link in their browser, which runs no scripts."""

import base64
import hashlib
import secrets
import urllib.parse

import jwt
import requests
from ory_client import models
from selenium.webdriver.support.wait import WebDriverWait

from chromium import PATIENCE
from published_client import Person, expect, same

REDIRECT = "com.example.news:/callback"
OPEN = "button[value=open]"


def register(shop):
    """Registers an app whose sign-ups end with a mailed link."""
    client = shop.provider.register("none", "ES256", redirect=REDIRECT, name="News", skip_consent=True)
    members = {"first_party": True, "sign_up": "link"}
    patches = [models.JsonPatch(op="add", path=f"/latchkey/{name}", value=value) for name, value in members.items()]
    return shop.provider.clients.patch_o_auth2_client(client.client_id, patches)


class SignUp:
    """An app in which a user signs up."""

    def __init__(self, user, shop, client):
        self.user, self.client, self.url = user, client, user.server.url
        self.provider = shop.provider
        self.person, self.state = Person(), secrets.token_urlsafe()
        self.verifier = secrets.token_urlsafe(48)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(self.verifier.encode()).digest()).rstrip(b"=").decode()
        query = {
            "client_id": client.client_id, "redirect_uri": REDIRECT, "state": self.state, "scope": "openid email",
            "code_challenge": challenge, "code_challenge_method": "S256",
        }
        flow = requests.get(f"{self.url}/a/self-service/registration/api", params=query, timeout=20).json()
        body = {"method": "password", "password": self.person.password, "traits": {"email": self.person.email}}
        answer = requests.post(flow["ui"]["action"], json=body, timeout=20)
        same(answer.status_code, 200, "the user signs up in the app")
        expect("session_token" not in answer.json(), "the sign-up opens no session")
        self.link = user.server.link(self.person.email)

    def open(self):
        self.user.open(self.link)

    def confirm(self):
        self.open()
        self.user.press("button.primary")
        same(self.user.heading, "Your address is confirmed", "the button confirms the address")

    def return_to_app(self):
        """Presses the button that opens the app, and returns the address that the browser was sent to."""
        self.user.take_log()
        self.user.find(OPEN).click()

        def sent(_):
            self.user.read_log()
            answers = [each for name, each in self.user.events if name == "Network.responseReceivedExtraInfo"]
            fields = [field for each in answers for field in each["headers"].items()]
            return [value for name, value in fields if name.lower() == "location" and value.startswith(REDIRECT)]

        address = WebDriverWait(None, PATIENCE, poll_frequency=0.02).until(sent)[-1]
        blocked = [text for _, text in self.user.console() if "Content Security Policy" in text]
        same(blocked, [], "the policy of the page doesn't block the app")
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(address).query))

    def redeem(self, code):
        fields = {
            "grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT,
            "client_id": self.client.client_id, "code_verifier": self.verifier,
        }
        return requests.post(f"{self.url}/oauth2/token", data=fields, timeout=20)

    def claims(self, tokens):
        return jwt.decode(tokens["id_token"], options={"verify_signature": False})

    def can_log_in(self):
        flow = requests.get(f"{self.url}/a/self-service/login/api", timeout=20).json()
        body = {"method": "password", "identifier": self.person.email, "password": self.person.password}
        return requests.post(flow["ui"]["action"], json=body, timeout=20).status_code == 200


def same_device(user, shop):
    """The user confirms, and opens the app, which redeems the code."""
    sign_up = SignUp(user, shop, register(shop))
    sign_up.open()
    expect("News" in user.text and "This was requested on" in user.text, "the page names the app and the time")
    sign_up.confirm()
    returned = sign_up.return_to_app()
    same(returned["state"], sign_up.state, "the app recognizes the redirection")
    same(returned["iss"], sign_up.url, "the app learns who has sent it")
    answer = sign_up.redeem(returned["code"])
    same(answer.status_code, 200, "the app redeems the code")
    same(sign_up.claims(answer.json())["email_verified"], True, "the address is proven from inside")
    same(sign_up.redeem(returned["code"]).status_code, 400, "the code can't be used again")
    expect(sign_up.can_log_in(), "the user's password works")


def scanner(user, shop):
    """A program that opens the links of mails changes nothing."""
    sign_up = SignUp(user, shop, register(shop))
    for method in ("HEAD", "GET", "GET"):
        answer = requests.request(method, sign_up.link, allow_redirects=False, timeout=20)
        same(answer.status_code, 303, "a scanner opens the link")
    same(requests.get(sign_up.link, timeout=20).status_code, 200, "a scanner opens the page")
    sign_up.confirm()
    expect(user.find(OPEN).is_displayed(), "the user's link still leads back to the app")


def other_device(user, other, shop):
    """A user who reads the mail on another device confirms there, and logs in where the sign-up began."""
    sign_up = SignUp(user, shop, register(shop))
    sign_up.user = other
    sign_up.confirm()
    expect("where you started and sign in" in other.text, "the page says how to continue")
    other.visit("/welcome")
    expect("You are not signed in." in other.text, "the link doesn't log in")
    expect(sign_up.can_log_in(), "the user logs in with the password")


def not_me(user, shop):
    """The owner of an address that another user has typed removes it from the account."""
    sign_up = SignUp(user, shop, register(shop))
    sign_up.open()
    user.press("button[formaction]")
    expect(not sign_up.can_log_in(), "the account has lost the address")
    user.open(sign_up.link)
    expect(not user.all(OPEN), "the link leads to no app")


def states(states, user, shop):
    """Checks the pages of a sign-up by link."""
    sign_up = SignUp(user, shop, register(shop))
    sign_up.open()
    states.check(user, "link of a sign-up", "Confirm p…@example.org", says="It was requested for")
    sign_up.confirm()
    states.check(user, "confirmed link of a sign-up", "Your address is confirmed", says="Open News")
