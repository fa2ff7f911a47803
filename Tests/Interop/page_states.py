"""Every page in every state that a browser can reach, with the rules that all of them obey."""

import page_rules
from page_journeys import expired_forms
from page_visitor import RETURN, Visitor
from published_client import Person, expect, same, wrong

LANGUAGES = {
    "sv": {"/login": "Logga in", "/registration": "Skapa konto", "/recovery": "Återställ ditt konto"},
    "nb": {"/login": "Logg inn", "/registration": "Opprett konto", "/recovery": "Gjenopprett kontoen din"},
    "fi": {"/login": "Kirjaudu sisään", "/registration": "Luo tili", "/recovery": "Palauta tilisi"},
}


class States:
    """The states that were checked, and the faults that were found in them."""

    def __init__(self):
        self.names = []
        self.faults = []

    def check(self, browser, name, heading, is_error=False, says=""):
        """Checks the page in light and dark colors, on a wide and on a narrow screen."""
        headings = [each.text for each in browser.all("h1")]
        faults = [] if headings == [heading] else [f"the headings are {headings}, expected {heading}"]
        if is_error and not browser.all("[role=alert]"):
            faults.append("no error is shown")
        if says not in browser.text:
            faults.append(f"the page does not say: {says}")
        faults += [fault for rule in page_rules.EVERY_PAGE for fault in rule(browser)]
        for scheme in ("light", "dark"):
            browser.color(scheme)
            found = page_rules.accessibility(browser) + page_rules.width(browser)
            faults += [f"{fault} ({scheme})" for fault in found]
        browser.color("")
        for fault in faults:
            print(f"fault: {name}: {fault}")
        if not faults:
            print(f"ok: {name}")
        self.names.append(name)
        self.faults += faults

    def finish(self):
        same(len(set(self.names)), len(self.names), "every state has a name of its own")
        same(self.faults, [], f"{len(self.names)} states obey the rules of all pages")


def visitors(states, user):
    """Checks pages that need no session."""
    user.visit("/welcome")
    states.check(user, "welcome without a session", "Your account")
    user.visit("/login")
    states.check(user, "login", "Sign in")
    user.submit("button[value=code]")
    states.check(user, "login without an identifier", "Sign in", is_error=True)
    user.submit(identifier=user.person.email, password="not-the-password")
    states.check(user, "login with a wrong password", "Sign in", is_error=True)
    user.press("button[value=code]")
    states.check(user, "login with a code", "Enter the code")
    user.submit(code=wrong(user.server.code(user.person.email)))
    states.check(user, "login with a wrong code", "Enter the code", is_error=True)
    user.visit("/login", return_to=RETURN)
    states.check(user, "login with a return address", "Sign in")

    user.visit("/registration")
    states.check(user, "registration", "Create account")
    user.submit(password="short")
    states.check(user, "registration with errors", "Create account", is_error=True)
    user.submit(traits__email=user.person.email, password=user.person.password)
    states.check(user, "registration with a taken address", "Create account", is_error=True)
    person = Person()
    user.visit("/registration")
    user.fill(traits__email=person.email)
    user.press("button[value=code]")
    states.check(user, "registration with a code", "Enter the code")
    user.submit(code=wrong(user.server.code(person.email)))
    states.check(user, "registration with a wrong code", "Enter the code", is_error=True)

    user.visit("/recovery")
    states.check(user, "recovery", "Recover your account")
    user.submit(email="no-address")
    states.check(user, "recovery with an invalid address", "Recover your account", is_error=True)
    user.visit("/recovery")
    user.submit(email=user.person.email)
    states.check(user, "recovery with a code", "Enter the code")
    user.submit(code=wrong(user.server.code(user.person.email)))
    states.check(user, "recovery with a wrong code", "Enter the code", is_error=True)

    user.visit("/verification")
    states.check(user, "verification", "Confirm your contact details")
    user.submit(email="no-address")
    states.check(user, "verification with an invalid address", "Confirm your contact details", is_error=True)
    user.visit("/verification")
    user.submit(email=user.person.email)
    states.check(user, "verification with a code", "Enter the code")
    user.submit(code=wrong(user.server.code(user.person.email)))
    states.check(user, "verification with a wrong code", "Enter the code", is_error=True)

    user.visit("/logout")
    states.check(user, "logout done", "You are signed out")


def masked(address):
    """Returns an address as the pages of mailed links show it."""
    return address[0] + "…@" + address.split("@")[1]


def mailed_links(states, user, other):
    other.visit("/verification")
    other.submit(email=user.person.email)
    user.open(user.server.link(user.person.email))
    states.check(user, "mailed link", "Confirm " + masked(user.person.email))
    user.press("button.primary")
    states.check(user, "confirmed elsewhere", "Your address is confirmed")
    other.open(other.address)
    states.check(other, "confirmed", "Confirmed")
    other.visit("/recovery")
    other.submit(email=user.person.email)
    link = user.server.link(user.person.email)
    user.open(link)
    states.check(user, "mailed link of a recovery", "Recover your account")
    user.press("button.secondary")
    states.check(user, "reported link", "Thank you for telling us")
    user.open(link)
    states.check(user, "used link", "This link has already been used")


def errors(states, user, other, site, hasty):
    user.visit("/nothing-here")
    states.check(user, "page not found", "We cannot find this page")
    user.visit("/error", id="unknown")
    states.check(user, "unknown error", "We cannot find this page")
    user.visit("/login", return_to="https://evil.example/")
    states.check(user, "forbidden return address", "This link is not allowed")
    user.visit("/login")
    other.visit("/login")
    user.open(other.address)
    states.check(user, "another browser's form", "This form is no longer valid")
    user.visit("/recovery")
    user.evaluate("document.querySelector('input[name=csrf_token]').value = 'forged'")
    user.submit(email=user.person.email)
    states.check(user, "form with a wrong token", "This form is no longer valid", is_error=True)
    refusing = Visitor(site, user.server, scripts=True, cookies=False)
    refusing.visit("/login")
    states.check(refusing, "cookies off", "Your browser does not accept cookies")
    refusing.close()
    user.open(hasty.page("/registration"))
    states.check(user, "registration closed", "You cannot create an account here")
    late = Visitor(site, hasty, scripts=True)
    expired_forms(late)
    states.check(late, "expired form", "Sign in", is_error=True)
    late.close()
    person = user.server.create_customer()
    user.visit("/login")
    user.submit(identifier=person.phone, password=person.password)
    says = "This account can only be used in its app."
    states.check(user, "account of an app", "Sign in", is_error=True, says=says)


def accounts(states, user, other):
    """Checks pages that need a session."""
    user.start_again()
    other.start_again()
    user.begin_sign_up()
    states.check(user, "confirmation after a sign-up", "Enter the code")
    user.submit(code=user.server.code(user.person.email))
    other.person = user.person
    user.visit("/welcome")
    states.check(user, "welcome", "Your account")
    user.visit("/settings")
    states.check(user, "profile", "Settings")
    user.submit(traits__name__given="Kari")
    states.check(user, "profile saved", "Settings", says="Your changes have been saved.")
    user.submit(traits__phone="12")
    states.check(user, "profile with an error", "Settings", is_error=True)
    user.visit("/settings")
    user.press("nav li:last-child a")
    states.check(user, "password", "Settings")
    user.submit(password="short")
    states.check(user, "password with an error", "Settings", is_error=True)
    user.person.password = Person().password
    user.visit("/settings")
    user.press("nav li:last-child a")
    user.submit(password=user.person.password)
    states.check(user, "password saved", "Settings", says="Your changes have been saved.")
    user.visit("/sessions")
    states.check(user, "one session", "Where you are signed in")
    other.log_in()
    user.visit("/sessions")
    states.check(user, "two sessions", "Where you are signed in")
    user.press(".sessions button")
    states.check(user, "session ended", "Where you are signed in", says="That device is signed out.")
    user.visit("/login", refresh="true")
    states.check(user, "log in again", "Sign in again")
    user.submit(identifier=user.person.email, password="not-the-password")
    states.check(user, "log in again with a wrong password", "Sign in again", is_error=True)
    user.visit("/logout")
    states.check(user, "logout", "Do you want to sign out?")
    user.visit("/logout", return_to="https://evil.example/")
    states.check(user, "logout to a forbidden address", "This link is not allowed")
    user.visit("/settings")
    mine = user.address
    other.sign_up()
    other.open(mine)
    states.check(other, "another browser's settings", "This form is no longer valid")

    user.visit("/recovery")
    user.start_again()
    user.visit("/recovery")
    user.submit(email=user.person.email)
    user.submit(code=user.server.code(user.person.email))
    states.check(user, "new password after a recovery", "Set a new password")


def many_attempts(states, user):
    """Enters wrong passwords until the server asks the user to wait."""
    user.start_again()
    user.visit("/login")
    for _ in range(8):
        user.submit(identifier=user.person.email, password="not-the-password")
        if user.response[0] != 200 or "incorrect" not in user.title:
            break
    expect("incorrect" not in user.title, f"the user has to wait ({user.title})")
    states.check(user, "too many attempts", "Too many attempts", is_error=True)


def terms(states, user):
    """Checks the page of a published text, which exists in two languages."""
    texts = [
        {"language": "en", "text": "Be kind.\n\nAlways.", "summary": "Kinder."},
        {"language": "nb", "text": "Vær snill.", "summary": "Snillere."},
    ]
    version = {"number": 1, "asks": "acceptance", "effective_at": "2100-01-01T00:00:00Z", "texts": texts}
    titles = {"en": "Terms of use", "nb": "Vilkår"}
    document = {"key": "shop", "kind": "terms", "default_language": "en", "titles": titles, "versions": [version]}
    user.server.administer("/admin/terms/publications", {"documents": [document]})
    user.visit("/terms/shop/1")
    states.check(user, "terms", "Terms of use", says="Version 1, effective from 2100-01-01")
    user.press("ul a")
    states.check(user, "terms in another language", "Vilkår", says="Vær snill.")
    user.visit("/terms/shop/2")
    states.check(user, "terms that aren't published", "We cannot find this page")


def languages(browser):
    """Checks the language, the headings and, as words differ in length, the width."""
    browser.start_again()
    english = {}
    for language in ("en", *LANGUAGES):
        browser.speak(language)
        for path in ("/login", "/registration", "/recovery", "/verification", "/welcome", "/logout", "/nothing-here"):
            browser.visit(path)
            same(page_rules.language(browser, language), [], f"{path} is in {language}")
            same(page_rules.width(browser), [], f"{path} in {language} fits on a narrow screen")
            if language == "en":
                english[path] = browser.heading
                continue
            expect(browser.heading != english[path], f"the heading of {path} is translated ({browser.heading})")
            wanted = LANGUAGES[language].get(path, browser.heading)
            same(browser.heading, wanted, f"the heading of {path} in {language}")
    browser.speak("de,fi,en")
    browser.visit("/login")
    same(page_rules.language(browser, "fi"), [], "the first language that the pages have is used")
    browser.visit("/login", ui_locales="nb")
    same(page_rules.language(browser, "nb"), [], "the language in the address has priority")
    browser.speak("en")
