"""Logs users in at a Django site through the provider's pages, in headless Chromium.

The journeys run without scripts. Axe then checks every state of the pages that belong to authorization requests.

usage: shop_in_chromium.py URL ADMIN_URL DATA
DATA is the data folder of the server, whose authorization requests the script lets expire.
"""

import sys
import tempfile

import handover_journeys as handovers
import link_journeys as links
import shop_journeys as journeys
import shop_states as states
from chromium import Browser, require_chromium
from page_states import LANGUAGES, States
from page_visitor import Server, Visitor
from pages_in_chromium import Steps
from provider import Provider
from shop import Shop


def run(steps, shop, server):
    user, other = Visitor(shop, server), Visitor(shop, server)
    with shop.using(shop.client()):
        steps.run("sign-ups", journeys.sign_ups, user)
        steps.run("login with a password", journeys.passwords, user)
        steps.run("login with a code", journeys.codes, user)
        steps.run("recovery", journeys.recovery, user)
        steps.run("logout", journeys.logout, user)
    steps.run("another user", Visitor.sign_up, other)
    steps.run("client without consent", journeys.first_party, user, shop)
    steps.run("narrower choice", journeys.choices, user, shop)
    steps.run("refusals", journeys.refusals, user, shop)
    steps.run("other accounts", journeys.other_accounts, user, other, shop)
    steps.run("session of an app", handovers.silent, user, shop)
    steps.run("session of an app after a question", handovers.asked, user, shop)
    steps.run("session of an app of another user", handovers.other_user, user, other, shop)
    # A browser that was sent to an app may still ask whether to open it.
    steps.run("sign-up in an app", links.same_device, Visitor(shop, server), shop)
    steps.run("sign-up whose link a scanner opens", links.scanner, user, shop)
    steps.run("sign-up whose link is opened elsewhere", links.other_device, user, other, shop)
    steps.run("sign-up by another user", links.not_me, user, shop)
    steps.run("back button", journeys.back_button, user, shop)
    steps.run("requests in two tabs", journeys.two_tabs, user, shop)
    steps.run("keyboard", journeys.keyboard, user, shop)
    steps.run("languages", states.languages, user, shop, ["en", *LANGUAGES])
    first = Visitor(shop, server)
    first.person = user.person
    steps.run("first and later visits", states.loads, first, shop)

    with_scripts, elsewhere = (Visitor(shop, server, scripts=True) for _ in range(2))
    with_scripts.person = user.person
    checked = States()
    with shop.using(shop.client()):
        steps.run("states of logins", states.logins, checked, with_scripts, shop)
        steps.run("states of invalid requests", states.invalid, checked, with_scripts, shop)
    steps.run("states of questions", states.questions, checked, with_scripts, elsewhere, shop)
    steps.run("states of handovers", states.handovers, checked, with_scripts, shop)
    steps.run("states of apps", states.apps, checked, with_scripts, shop)
    steps.run("states of sign-ups in apps", links.states, checked, with_scripts, shop)
    steps.run("all states", checked.finish)


def main(url, admin_url, data):
    require_chromium()
    steps, server = Steps(), Server(url, admin_url)
    server.data = data
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        try:
            run(steps, Shop(Provider(url, admin_url), folder), server)
        finally:
            Browser.close_all()
    steps.finish()


if __name__ == "__main__":
    main(*sys.argv[1:])
