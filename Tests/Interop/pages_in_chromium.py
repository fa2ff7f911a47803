"""Uses the server's own pages in headless Chromium, as users do.

Broken pages first show that each rule finds its fault. The journeys run without scripts. Axe then checks every state of
the pages, in light and dark colors.

usage: pages_in_chromium.py URL ADMIN_URL HASTY_URL
HASTY_URL is the address of a server on which forms expire after a second, and users cannot register.
"""

import sys
import time
import traceback

from selenium.common.exceptions import WebDriverException

import page_journeys as journeys
import page_rules
import page_states as states
from chromium import Browser, Site, require_chromium
from page_visitor import Server, Visitor
from published_client import expect, same

HTML = (
    "<!DOCTYPE html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
    "<title>Page</title>"
)
BROKEN = {
    page_rules.accessibility: "<main><h1>Page</h1><p style='color: #999'>pale <img src='data:,'></main>",
    page_rules.width: "<h1>Page</h1><div style='width: 361px'>wide</div>",
    page_rules.headers: "<h1>Page</h1>",
    page_rules.console: "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'\">"
    "<h1>Page</h1><style>p { color: red }</style>",
    page_rules.structure: "<h1>Page</h1><script>0</script>",
    page_rules.announcement: "<h1>Page</h1><div role=alert>Wrong</div><input name=a aria-invalid=true>",
    page_rules.keyboard: "<h1>Page</h1><a href=/in>first</a><a href=/in tabindex=-1>second</a>",
}


def rules_find_faults(site, server):
    browser = Visitor(site, server, scripts=True)
    for rule, html in BROKEN.items():
        browser.open(site.add(f"/broken/{rule.__name__}", HTML + html))
        expect(rule(browser), f"the rule on {rule.__name__} finds a fault")
    unseen = "<style>:focus { outline: none }</style><h1>Page</h1><a href=/in>a</a>"
    browser.open(site.add("/broken/focus", HTML + unseen))
    expect(page_rules.keyboard(browser), "the rule on keyboard finds a focus that can't be seen")
    browser.open(site.add("/broken/language", HTML + "<h1>Page</h1>"))
    expect("lang is en" in page_rules.language(browser, "sv"), "the rule on language finds a fault")
    image = f"<img alt='' src='{site.add('/image', '')}?%d'>"
    images = "".join(image % number for number in range(3))
    large = site.add("/broken/load", HTML + f"<h1>Page</h1>{images}<!-- {'x' * 30_000} -->")
    same(len(page_rules.cold(browser, large, 4)), 2, "the rule on cold loads finds too many requests and bytes")
    expect(page_rules.warm(browser, large), "the rule on warm loads finds requests")
    expect(page_rules.frame(browser, site, site.add("/framed", HTML)), "the rule on frames finds a page in one")
    browser.close()


def loads(browser, site):
    page = browser.server.page
    same(page_rules.cold(browser, page("/login")), [], "a first visit loads at most three files and 30 kB")
    same(page_rules.warm(browser, page("/login")), [], "later visits only load the page")


def frames(browser, site):
    for path in ("/login", "/registration", "/welcome", "/logout", "/nothing-here"):
        shown = page_rules.frame(browser, site, browser.server.page(path))
        same(shown, [], f"{path} is not shown in a frame of another site")


class Steps:
    """Runs steps one after another. A failure ends its step, but the others are still run."""

    def __init__(self):
        self.failed = []

    def run(self, name, action, *arguments):
        print(f"step: {name}")
        start = time.monotonic()
        visitors = [each for each in arguments if isinstance(each, Visitor)]
        try:
            action(*arguments)
        # A failed expectation ends the script, unless it is caught.
        except (SystemExit, WebDriverException):
            traceback.print_exc(limit=-3, file=sys.stdout)
            for each in visitors:
                print(f"a browser shows {each.address}:\n{each.title}\n{each.text}")
            self.failed.append(name)
        for each in visitors:
            each.start_again()
        print(f"done: {name} ({time.monotonic() - start:.1f} s)", flush=True)

    def finish(self):
        for name in self.failed:
            print(f"failed: {name}")
        if self.failed:
            sys.exit(1)
        print("all steps passed")


def run(steps, site, server, hasty):
    steps.run("rules find faults", rules_find_faults, site, server)
    user, other = Visitor(site, server), Visitor(site, server)
    steps.run("first and later visits", loads, user, site)
    steps.run("frames", frames, user, site)
    steps.run("scripts are off", journeys.scripts_are_off, user, site)
    steps.run("sign-up, logout and login with a password", journeys.passwords, user)
    steps.run("sign-up and confirmation", Visitor.sign_up, user)
    steps.run("login with a code", journeys.codes, user)
    steps.run("recovery", journeys.recovery, user)
    steps.run("mailed links in another browser", journeys.mailed_links, user, other)
    steps.run("sessions", journeys.sessions, user, other)
    steps.run("forms of another browser", journeys.foreign_forms, user, other)
    steps.run("expired forms", journeys.expired_forms, Visitor(site, hasty))
    steps.run("return addresses", journeys.return_addresses, user)
    steps.run("keyboard", journeys.keyboard, user)
    steps.run("back button", journeys.back_button, user)
    steps.run("a form in two tabs", journeys.two_tabs, user)
    steps.run("two clicks", journeys.two_clicks, user)
    steps.run("languages", states.languages, user)

    user, other = (Visitor(site, server, scripts=True) for _ in range(2))
    steps.run("sign-up and confirmation", Visitor.sign_up, user)
    checked = states.States()
    steps.run("states without a session", states.visitors, checked, user)
    steps.run("states of mailed links", states.mailed_links, checked, user, other)
    steps.run("states of errors", states.errors, checked, user, other, site, hasty)
    steps.run("states with a session", states.accounts, checked, user, other)
    steps.run("states after many attempts", states.many_attempts, checked, user)
    steps.run("states of terms", states.terms, checked, user)
    steps.run("all states", checked.finish)


def main(url, admin_url, hasty_url):
    require_chromium()
    steps = Steps()
    try:
        run(steps, Site(), Server(url, admin_url), Server(hasty_url, None))
    finally:
        Browser.close_all()
    steps.finish()


if __name__ == "__main__":
    main(*sys.argv[1:])
