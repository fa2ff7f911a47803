"""Journeys of users who log in at a site through the provider's pages. Their browsers run no scripts."""

from selenium.webdriver.common.keys import Keys

import page_rules
from page_journeys import tab_to
from published_client import Person, expect, same, wrong
from shop import APP, begin, claims, expect_refusal, leave

ALLOW, NOT_NOW, OTHER = (f"button[value={value}]" for value in ("approve", "refuse", "switch_account"))
CANCEL = "button[formaction]"


def expect_login(user):
    same((user.path, user.heading), ("/login", "Sign in"), "the user has to log in")
    expect("Sign in to continue to The shop." in user.text, "the page names the site")


def expect_consent(user, person=None):
    same(user.path, "/consent", "the user is asked about the site")
    same(user.heading, "The shop asks for access to your account", "the page names the site")
    expect((person or user.person).email in user.text, "the page names the account")
    expect("You will return to app.example.com." in user.text, "the page names the host of the site")


def log_in(user, person=None):
    person = person or user.person
    user.submit(identifier=person.email, password=person.password)


def sign_up(user, is_confirmed=True):
    """Signs up within a request."""
    begin(user)
    expect_login(user)
    user.press('.links a[href*="registration"]')
    expect("Then you can continue to The shop." in user.text, "the sign-up belongs to the request")
    user.person = Person()
    user.submit(traits__email=user.person.email, password=user.person.password)
    same((user.path, user.heading), ("/verification", "Enter the code"), "the address is confirmed first")
    if is_confirmed:
        user.submit(code=user.server.code(user.person.email))
    else:
        user.press(".links a[href*=continue]")
    expect_consent(user)


def end(user):
    leave(user)
    user.log_out()


def sign_ups(user):
    sign_up(user, is_confirmed=False)
    user.press(ALLOW)
    same(claims(user).get("email_verified"), False, "a sign-up leads to the site before the address is confirmed")
    end(user)
    sign_up(user)
    user.press(ALLOW)
    same(claims(user).get("email_verified"), True, "a sign-up leads to the site after the confirmation")
    leave(user)
    begin(user)
    claims(user)
    end(user)


def passwords(user):
    begin(user)
    expect_login(user)
    user.submit(identifier=user.person.email, password="not-" + user.person.password)
    user.expect_login_error()
    user.submit(password=user.person.password)
    claims(user)
    end(user)


def codes(user):
    begin(user)
    user.fill(identifier=user.person.email)
    user.press("button[value=code]")
    same(user.heading, "Enter the code", "a code is sent")
    expect("Sign in to continue to The shop." in user.text, "the page still names the site")
    code = user.server.code(user.person.email)
    user.submit(code=wrong(code))
    user.expect_code_error()
    user.submit(code=code)
    claims(user)
    end(user)


def recovery(user):
    begin(user)
    user.press('.links a[href*="recovery"]')
    user.submit(email=user.person.email)
    user.submit(code=user.server.code(user.person.email))
    same(user.heading, "Set a new password", "a recovery asks for a new password")
    expect("Then you can continue to The shop." in user.text, "the recovery belongs to the request")
    user.person.password = Person().password
    user.submit(password=user.person.password)
    claims(user)
    end(user)
    begin(user)
    log_in(user)
    claims(user)
    end(user)


def first_party(user, shop):
    """Logs in at a client without consent: the form of the login itself leads to the site."""
    with shop.using(shop.client(skip_consent=True)):
        begin(user)
        log_in(user)
        claims(user)
        end(user)


def choices(user, shop):
    """Shares less than the site asks for."""
    with shop.using(shop.client()):
        begin(user)
        log_in(user)
        expect_consent(user)
        user.find("input[value=profile]").click()
        user.press(ALLOW)
        found = claims(user)
        same(("updated_at" in found, "email" in found), (False, True), "the site gets what the user has chosen")
        leave(user)
        begin(user)
        expect_consent(user)
        user.press(ALLOW)
        expect("updated_at" in claims(user), "the user can share more the next time")
        end(user)


def refusals(user, shop):
    with shop.using(shop.client()):
        begin(user)
        user.fill(identifier=user.person.email)
        user.press(CANCEL)
        expect_refusal(user)
        begin(user)
        user.fill(identifier=user.person.email)
        user.press("button[value=code]")
        user.press(CANCEL)
        expect_refusal(user)
        user.server.code(user.person.email)
        for link in ("registration", "recovery"):
            begin(user)
            user.press(f'.links a[href*="{link}"]')
            user.press(CANCEL)
            expect_refusal(user)
        begin(user)
        log_in(user)
        user.press(NOT_NOW)
        expect_refusal(user)
        begin(user)
        expect_consent(user)
        user.press(ALLOW)
        claims(user)
        end(user)


def other_accounts(user, other, shop):
    first, second = user.person, other.person
    with shop.using(shop.client()):
        begin(user)
        log_in(user, first)
        expect_consent(user, first)
        user.press(OTHER)
        log_in(user, second)
        expect_consent(user, second)
        user.press(ALLOW)
        claims(user, second)
        with shop.asking(prompt="select_account"):
            begin(user)
            same(user.heading, "Choose an account", "the site lets the user choose the account")
            expect(second.email in user.text, "the page names the account of the session")
            user.press(ALLOW)
            claims(user, second)
            # The package loses the tokens if the site's session belongs to another user.
            leave(user)
            begin(user)
            user.press(OTHER)
            log_in(user, first)
            expect_consent(user, first)
            user.press(ALLOW)
            claims(user, first)
            begin(user)
            user.press(NOT_NOW)
            expect_refusal(user)
        end(user)


def logout(user):
    begin(user)
    log_in(user)
    claims(user)
    leave(user)
    begin(user)
    claims(user)
    leave(user)
    user.log_out()
    begin(user)
    expect_login(user)
    user.press(CANCEL)
    expect_refusal(user)


def back_button(user, shop):
    """Goes back to the pages of a request that the user has answered."""
    with shop.using(shop.client(client_uri=APP + "/")):
        begin(user)
        log_in(user)
        user.press(ALLOW)
        claims(user)
        # Chromium shows the form again without a request.
        user.leave(user.driver.back)
        expect_consent(user)
        user.press(NOT_NOW)
        same(user.heading, "You have already answered this request", "a form is only answered once")
        user.press("main a")
        claims(user)
        end(user)


def two_tabs(user, shop):
    """Begins two requests in two tabs, and logs in in the second one: the first one can still be answered."""
    with shop.using(shop.client()):
        tabs = [user.driver.current_window_handle]
        begin(user)
        user.fill(identifier=user.person.email, password=user.person.password)
        user.driver.switch_to.new_window("tab")
        tabs.append(user.driver.current_window_handle)
        begin(user)
        log_in(user)
        expect_consent(user)
        user.driver.switch_to.window(tabs[0])
        user.press("button.primary")
        for tab in tabs:
            user.driver.switch_to.window(tab)
            expect_consent(user)
            user.press(ALLOW)
            claims(user)
        end(user)


def keyboard(user, shop):
    """Logs in and answers the request without a pointing device."""
    with shop.using(shop.client()):
        user.open(APP + "/")
        user.tab()
        user.leave(lambda: user.type(Keys.ENTER))
        same(tab_to(user, "identifier"), ["identifier"], "the first Tab leads to the identifier")
        user.type(user.person.email)
        same(tab_to(user, "password"), ["password"], "the next one leads to the password")
        user.leave(lambda: user.type(user.person.password, Keys.ENTER))
        expect_consent(user)
        same(page_rules.keyboard(user), [], "Tab shows every element of the question")
        user.open(user.address)
        user.tab()
        same(user.focused.get_attribute("value"), "profile", "the first Tab leads to the first choice")
        user.type(Keys.SPACE)
        for _ in range(4):
            if user.focused.get_attribute("value") == "approve":
                break
            user.tab()
        user.leave(lambda: user.type(Keys.ENTER))
        same("updated_at" in claims(user), False, "the site gets what the user has chosen")
        end(user)
