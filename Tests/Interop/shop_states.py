"""The pages of the provider in every state, with the rules that all pages obey."""

import sqlite3
import uuid

import page_rules
from handover_journeys import App, follow
from page_visitor import Visitor
from published_client import Person, same, wrong
from shop import APP, begin
from shop_journeys import ALLOW, CANCEL, OTHER, log_in

# The longest name of a client, in one word.
LONG = "Donaudampfschifffahrtsgesellschaft" * 2
KEYBOARD = [".primary", "a", CANCEL]


class Checks:
    """Checks states in a browser, also that Tab reaches every element."""

    def __init__(self, states, user):
        self.states, self.user = states, user

    def check(self, name, heading, **options):
        self.states.check(self.user, name, heading, **options)
        self.states.faults += [f"{name}: {fault}" for fault in page_rules.keyboard(self.user)]


def logins(states, user, shop):
    """Checks pages within a request of a user without a session."""
    check = Checks(states, user).check
    begin(user)
    check("login for a client", "Sign in", says="Sign in to continue to The shop.")
    user.submit(identifier=user.person.email, password="not-the-password")
    check("login for a client with a wrong password", "Sign in", is_error=True)
    user.press("button[value=code]")
    check("login for a client with a code", "Enter the code")
    user.submit(code=wrong(user.server.code(user.person.email)))
    check("login for a client with a wrong code", "Enter the code", is_error=True)

    begin(user)
    user.press('.links a[href*="registration"]')
    check("registration for a client", "Create account", says="Then you can continue to The shop.")
    user.submit(password="short")
    check("registration for a client with errors", "Create account", is_error=True)
    person = Person()
    user.submit(traits__email=person.email, password=person.password)
    check("confirmation after a sign-up for a client", "Enter the code", says="Not now")
    user.start_again()

    begin(user)
    user.press('.links a[href*="recovery"]')
    check("recovery for a client", "Recover your account")
    user.submit(email=user.person.email)
    check("recovery for a client with a code", "Enter the code")
    user.submit(code=user.server.code(user.person.email))
    check("new password after a recovery for a client", "Set a new password", says="Not now")
    user.start_again()


def questions(states, user, other, shop):
    """Checks the questions about a client, and requests that can't be answered any more."""
    check = Checks(states, user).check
    links = {"client_uri": APP + "/", "policy_uri": APP + "/privacy", "tos_uri": APP + "/terms"}
    client = shop.client(**links)
    with shop.using(client):
        begin(user)
        log_in(user)
        check("consent", "The shop asks for access to your account", says="Privacy policy")
        question = user.address
        other.open(question)
        states.check(other, "request of another browser", "This request was started in another browser")
        user.press(OTHER)
        check("login with another account", "Sign in")
        user.open(question)
        user.press(ALLOW)
        user.open(question)
        check("answered request", "You have already answered this request", says="Go to The shop")
        with shop.asking(prompt="select_account"):
            begin(user)
            check("choice of an account", "Choose an account")
        with shop.asking(prompt="login"):
            begin(user)
            check("login again for a client", "Sign in again")
            user.submit(identifier=user.person.email, password="not-the-password")
            check("login again for a client with a wrong password", "Sign in again", is_error=True)
    with shop.using(shop.client(name=LONG, **links)):
        begin(user)
        check("consent for a client with a long name", f"{LONG} asks for access to your account")
        question = user.address
        expire_requests(user.server)
        user.open(question)
        check("expired request", "This request has expired", says="Go to " + LONG)
    user.visit("/consent", login_challenge=uuid.uuid4())
    check("unknown request", "This request has expired", says="Go back to the app or website")


def apps(states, user, shop):
    """Checks the questions about apps, whose redirect URIs can't be verified."""
    check = Checks(states, user).check
    with shop.using(shop.client()):
        begin(user)
        log_in(user)
    for skipped, heading in ((False, "The shop asks for access to your account"), (True, "Continue to The shop")):
        name = "app without consent" if skipped else "app"
        client = shop.provider.register("none", "ES256", redirect="http://127.0.0.1/in", skip_consent=skipped)
        with shop.using(client):
            user.open(shop.request(redirect="http://127.0.0.1/in"))
            check(f"question about an {name}", heading, says="We cannot check which app it is.")


def handovers(states, user, shop):
    """Checks the question before an app's session is continued, and the page of a code that can't be used."""
    check = Checks(states, user).check
    app = App(user, shop)
    user.start_again()
    follow(user, app.address())
    check("session of an app", f"Continue as {user.person.email}", says="The app signs you in to this browser.")
    user.visit("/continue", code="unknown")
    check("unknown session of an app", "This link no longer works", says="Sign in")


def invalid(states, user, shop):
    user.open(shop.request(redirect="https://evil.example/"))
    Checks(states, user).check("invalid request", "This app cannot sign you in")


def expire_requests(server):
    """Lets all authorization requests expire, as they do after ten minutes."""
    with sqlite3.connect(server.data + "/latchkey.db", timeout=20) as database:
        changed = database.execute("UPDATE authorization_requests SET expires_at = requested_at").rowcount
    same(changed > 0, True, "requests expire")
    database.close()


def loads(user, shop):
    """Measures the login page and the question of new requests."""
    with shop.using(shop.client()):
        same(page_rules.cold(user, shop.request()), [], "a first login loads at most three files and 30 kB")
        same(page_rules.warm(user, shop.request()), [], "later logins only load the page")
        user.open(shop.request())
        log_in(user)
        same(user.path, "/consent", "the user is asked about the site")
        question = user.address
        user.command("Network.clearBrowserCache")
        same(page_rules.cold(user, question), [], "a first question loads at most three files and 30 kB")
        same(page_rules.warm(user, question), [], "later questions only load the page")


def languages(user, shop, texts):
    """Checks the pages of requests in each language on a narrow screen."""
    with shop.using(shop.client()):
        for language in texts:
            user.start_again()
            user.speak(language)
            user.open(shop.request())
            same(page_rules.language(user, language), [], f"the login for a client is in {language}")
            same(page_rules.width(user), [], f"the login for a client in {language} fits on a narrow screen")
            log_in(user)
            same(user.path, "/consent", "the user is asked about the site")
            same(page_rules.language(user, language), [], f"the question is in {language}")
            same(page_rules.width(user), [], f"the question in {language} fits on a narrow screen")
    user.speak("en")
