"""Journeys of users whose browsers run no scripts."""

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.wait import WebDriverWait

import page_rules
from chromium import PATIENCE
from page_visitor import RETURN
from published_client import Person, expect, same, wrong


def scripts_are_off(user, site):
    user.open(site.add("/scripts", "<!DOCTYPE html><title>off</title><script>document.title = 'on'</script>"))
    same(user.title, "off", "the browser runs no scripts")


def passwords(user):
    user.begin_sign_up()
    user.press(".links a")
    user.expect_account()
    user.log_out()
    user.visit("/login")
    user.submit(identifier=user.person.email, password=user.person.password)
    user.expect_account()
    user.log_out()
    user.sign_up()
    user.log_out()
    user.visit("/welcome")
    expect(user.person.email not in user.text, "nobody is logged in")
    user.visit("/login")
    user.submit(identifier=user.person.email, password="not-" + user.person.password)
    user.expect_login_error()
    user.submit(password=user.person.password)
    user.expect_account()
    user.log_out()


def codes(user):
    for address in (user.person.email, user.person.phone):
        if address == user.person.phone:
            user.log_in()
            user.visit("/settings")
            user.submit(traits__phone=address)
            user.visit("/verification")
            user.submit(email=address)
            user.submit(code=user.server.code(address))
            same(user.heading, "Confirmed", "a phone number is confirmed")
            user.log_out()
        user.visit("/login")
        user.fill(identifier=address)
        user.press("button[value=code]")
        same(user.heading, "Enter the code", f"a code is sent to {address}")
        code = user.server.code(address)
        user.submit(code=wrong(code))
        user.expect_code_error()
        user.submit(code=code)
        user.expect_account()
        user.log_out()


def recovery(user):
    user.visit("/login")
    user.press('.links a[href*="recovery"]')
    user.submit(email=user.person.email)
    user.submit(code=user.server.code(user.person.email))
    same((user.path, user.heading), ("/settings", "Set a new password"), "a recovery asks for a new password")
    user.person.password = Person().password
    user.submit(password=user.person.password)
    expect("Your changes have been saved." in user.text, "the new password is saved")
    user.log_out()
    user.log_in()
    user.expect_account()
    user.log_out()


def mailed_links(user, other):
    """Follows the link of a mail in another browser, where it changes nothing until its button is pressed."""
    user.begin_sign_up()
    message = user.server.message(user.person.email)
    other.open(link(message))
    other.expect_no_error("a mailed link opens in another browser")
    user.open(user.address)
    same(user.heading, "Enter the code", "the user's own page is unchanged")
    user.submit(code=wrong(message["code"]))
    user.expect_code_error()
    other.press("button.primary")
    same(other.heading, "Your address is confirmed", "the button confirms the address")
    expect("Go back to the app or browser where you started." in other.text, "the page leads back")
    other.visit("/welcome")
    expect("You are not signed in." in other.text, "the link has not logged in the other browser")
    user.open(user.address)
    same(user.heading, "Confirmed", "the user's own page continues")
    user.press("a.primary")
    user.expect_account()
    user.log_out()

    user.begin_sign_up()
    message = user.server.message(user.person.email)
    other.open(link(message))
    user.submit(code=message["code"])
    same(user.heading, "Confirmed", "the code works in the user's own browser after another one has opened the link")
    user.log_out()

    user.visit("/recovery")
    user.submit(email=user.person.email)
    other.open(user.server.link(user.person.email))
    other.expect_no_error("a mailed link of a recovery opens in another browser")
    other.visit("/welcome")
    expect("You are not signed in." in other.text, "a link does not log in")


def link(message):
    return next(word for word in message["body"].split() if word.startswith("http"))


def sessions(user, other):
    user.sign_up()
    other.person = user.person
    other.log_in()
    user.visit("/sessions")
    same(len(user.all(".sessions li")), 2, "both sessions are listed")
    same(user.text.count("This browser"), 1, "one of them is the browser's own")
    user.press(".sessions button")
    expect("That device is signed out." in user.text, "the end of the session is confirmed")
    same(len(user.all(".sessions li")), 1, "the ended session is not listed")
    other.visit("/welcome")
    expect("You are not signed in." in other.text, "the other session has ended")
    other.log_in()
    user.visit("/sessions")
    user.press("button[name=everywhere]")
    same(user.heading, "You are signed out", "the user is signed out everywhere")
    for browser in (user, other):
        browser.visit("/sessions")
        same(browser.path, "/login", "a browser that was signed out has to log in first")
    other.submit(identifier=other.person.email, password=other.person.password)
    same(other.path, "/sessions", "the login leads back to the sessions")
    other.log_out()


def foreign_forms(user, other):
    other.person = user.person
    user.visit("/login")
    other.visit("/login")
    other.open(user.address)
    same(other.response[0], 403, "another browser's form is refused")
    same(other.heading, "This form is no longer valid", "the page says so")
    other.press("a.primary")
    same(other.path, "/welcome", "starting again leads to the welcome page")
    other.press("a.primary")
    other.submit(identifier=other.person.email, password=other.person.password)
    other.expect_account()
    other.log_out()


def expired_forms(visitor):
    """Uses forms of a server on which they are only valid for a second."""
    visitor.visit("/login", return_to=RETURN)
    first = visitor.address

    def is_replaced(_):
        visitor.open(first)
        return visitor.address != first

    WebDriverWait(None, PATIENCE).until(is_replaced)
    same(visitor.path, "/login", "the page of an expired form shows a new one")
    visitor.expect_no_error("the new form can be used")
    second = visitor.address

    def is_refused(_):
        visitor.submit(identifier=visitor.person.email, password=visitor.person.password)
        return "expired" in visitor.title

    WebDriverWait(None, PATIENCE).until(is_refused)
    expect(visitor.address != second, "the submission of an expired form leads to a new one")
    visitor.expect_no_error("an expired form is not an error page")
    same(visitor.path, "/login", "the user can try again at once")


def return_addresses(user):
    user.log_in(return_to=RETURN)
    same(user.address, RETURN, "a login leads to the allowed address")
    user.visit("/login", return_to=RETURN)
    same(user.address, RETURN, "a user who is logged in is sent there at once")
    user.visit("/logout", return_to=RETURN)
    user.press("button.primary")
    same(user.address, RETURN, "a logout leads to the allowed address")
    user.visit("/login", return_to=RETURN)
    user.press('.links a[href*="registration"]')
    person = Person()
    user.submit(traits__email=person.email, password=person.password)
    user.press(".links a")
    same(user.address, RETURN, "a sign-up that began on the login page leads to the allowed address")
    user.log_out()
    user.visit("/login", return_to="https://evil.example/")
    same(user.heading, "This link is not allowed", "an address that is not allowed is refused")
    same(user.response[0], 400, "the page has the status of an error")
    user.press("a.primary")
    user.expect_no_error("starting again leads to a page")


def tab_to(user, name):
    """Presses Tab until a field is focused. Returns the names of the elements on the way."""
    names = []
    while name not in names and len(names) < 4:
        user.tab()
        names.append(user.focused.get_attribute("name"))
    return names


def keyboard(user):
    user.visit("/login")
    same(tab_to(user, "identifier"), ["identifier"], "the first Tab leads to the identifier")
    user.type(user.person.email)
    same(tab_to(user, "password"), ["password"], "the next one leads to the password")
    user.leave(lambda: user.type("not-the-password", Keys.ENTER))
    user.expect_login_error()
    same(tab_to(user, "password"), ["identifier", "password"], "Tab leads to the password after an error, too")
    user.leave(lambda: user.type(user.person.password, Keys.ENTER))
    user.expect_account()
    for path in ("/welcome", "/settings", "/sessions", "/logout", "/verification"):
        user.visit(path)
        same(page_rules.keyboard(user), [], f"Tab shows every element of {path}")
    user.visit("/settings")
    user.press("nav li:last-child a")
    same(page_rules.keyboard(user), [], "Tab shows every element of the password's section")
    user.log_out()
    for path in ("/welcome", "/login", "/registration", "/recovery"):
        user.visit(path)
        same(page_rules.keyboard(user), [], f"Tab shows every element of {path} without a session")
    user.visit("/recovery")
    tab_to(user, "email")
    user.leave(lambda: user.type(user.person.email, Keys.ENTER))
    same(user.focused.get_attribute("name"), "code", "the field for the code is focused")
    user.leave(lambda: user.type(user.server.code(user.person.email), Keys.ENTER))
    same(user.heading, "Set a new password", "Enter submits the code")
    user.log_out()


def back_button(user):
    user.log_in()
    user.expect_account()
    user.leave(user.driver.back)
    user.expect_no_error("the page before a login is not an error page")
    user.leave(user.driver.forward)
    user.expect_account()
    user.log_out()
    user.leave(user.driver.back)
    user.expect_no_error("the page before a logout is not an error page")


def two_tabs(user):
    """Submits the form of a login in two tabs. The first login ends the validity of all forms in the browser."""
    user.visit("/login")
    page = user.address
    tabs = [user.driver.current_window_handle]
    user.driver.switch_to.new_window("tab")
    tabs.append(user.driver.current_window_handle)
    for tab in tabs:
        user.driver.switch_to.window(tab)
        user.open(page)
        user.fill(identifier=user.person.email, password=user.person.password)
    user.driver.switch_to.window(tabs[0])
    user.press("button.primary")
    user.expect_account()
    user.driver.switch_to.window(tabs[1])
    user.press("button.primary")
    same(user.heading, "This form is no longer valid", "the form in the other tab says that it is not valid")
    user.press("a.primary")
    user.expect_account()


def two_clicks(user):
    """Presses the button of a login twice, until the browser has submitted the form twice."""
    for _ in range(10):
        user.visit("/login")
        user.fill(identifier=user.person.email, password=user.person.password)
        user.take_log()
        # The response to the first click has to be on its way when the second one follows.
        user.slow_down(300)
        user.leave(ActionChains(user.driver).double_click(user.find("button.primary")).perform)
        user.slow_down(0)
        user.expect_no_error("two clicks on the button do not lead to an error page")
        user.expect_account()
        sent = [each["request"]["method"] for name, each in user.events if name == "Network.requestWillBeSent"]
        if sent.count("POST") == 2:
            return
        user.log_out()
    expect(False, "two clicks submit the form twice")
