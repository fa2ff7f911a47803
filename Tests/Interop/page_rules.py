"""Rules that hold on every page. Each rule returns a list of faults, which is empty if the page is as it should be."""

import importlib.util
import pathlib

from selenium.webdriver.support.wait import WebDriverWait

from chromium import PATIENCE

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
WIDTH = 360
HEADERS = {
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cache-control": "no-store",
    "content-type": "text/html; charset=utf-8",
}
POLICY = {"default-src 'none'", "style-src 'self'", "img-src 'self' data:", "base-uri 'none'", "frame-ancestors 'none'"}


def axe_source():
    # The package is not imported, because it needs Playwright; the tests only use its copy of axe.
    package = importlib.util.find_spec("axe_playwright_python")
    return (pathlib.Path(package.submodule_search_locations[0]) / "axe.min.js").read_text()


AXE = axe_source()


def accessibility(browser):
    """Returns axe's violations. The rule for the size of targets is off by default."""
    browser.evaluate(AXE)
    found = browser.driver.execute_async_script(
        """
        const options = {
            runOnly: {type: "tag", values: arguments[0]}, rules: {"target-size": {enabled: true}}, preload: false
        };
        const done = arguments[arguments.length - 1];
        axe.run(document, options).then(result => done(result.violations), error => done([{id: String(error)}]));
        """,
        TAGS,
    )
    return [f"{each['id']}: {[node['html'] for node in each.get('nodes', [])]}" for each in found]


def width(browser):
    """Returns the elements that stick out if the screen is narrow."""
    browser.narrow(WIDTH)
    found = browser.evaluate(
        """
        const root = document.documentElement;
        if (root.scrollWidth <= root.clientWidth && root.clientWidth <= arguments[0]) return [];
        const wide = [...document.body.querySelectorAll("*")].filter(
            each => each.getBoundingClientRect().right > arguments[0]);
        return [`${root.scrollWidth} of ${root.clientWidth} pixels`, ...wide.map(each => each.outerHTML)];
        """,
        WIDTH,
    )
    browser.widen()
    return found


def headers(browser):
    _, found = browser.response
    # Published texts are the same for everyone, and never change.
    is_public = "/terms/" in browser.address and browser.response[0] == 200
    wanted = HEADERS | ({"cache-control": "public, max-age=300"} if is_public else {})
    faults = [f"{name}: {found.get(name)}" for name, value in wanted.items() if found.get(name) != value]
    policy = set(found.get("content-security-policy", "").split("; "))
    faults += [f"no {directive}" for directive in POLICY - policy]
    faults += [f"unexpected {directive}" for directive in policy - POLICY - {"form-action 'self'"}]
    language = browser.find("html").get_attribute("lang")
    if found.get("content-language") != language:
        faults.append(f"Content-Language is {found.get('content-language')} and lang is {language}")
    return faults


def console(browser):
    """Returns the messages on the console, except that the page itself has the status of an error."""
    status, _ = browser.response
    ignored = f"{browser.address} - Failed to load resource: the server responded with a status of {status} "
    return [text for source, text in browser.console() if not (source == "network" and text.startswith(ignored))]


def announcement(browser):
    """Returns errors that screen readers don't announce: in the title, in a summary, and with their fields."""
    faults = []
    summary = browser.all("[role=alert]")
    invalid = browser.all("input[aria-invalid]")
    if invalid and not summary:
        faults.append("no summary")
    status, _ = browser.response
    if summary and status == 200 and not browser.title.startswith(summary[0].text.split("\n")[0]):
        faults.append(f"the title is {browser.title}")
    for field in invalid:
        described = field.get_attribute("aria-describedby")
        if not described or not browser.find("#" + described).text:
            faults.append(f"{field.get_attribute('name')} has no description")
    return faults


def structure(browser):
    """Returns what a page without scripts and with one purpose doesn't contain."""
    faults = [f"a {tag} element" for tag in ("script", "iframe", "style") if browser.all(tag)]
    if len(browser.all("form")) > 1:
        faults.append("several forms")
    if len(browser.all("h1")) != 1:
        faults.append("not one h1")
    return faults


FOCUSABLE = "a[href], button, input:not([type=hidden]):not([hidden])"


def keyboard(browser):
    """Presses Tab through the page. Returns elements that are skipped, out of order, or whose focus can't be seen."""
    browser.find("h1").click()
    faults = []
    for element in browser.all(FOCUSABLE):
        previous = browser.focused
        # The parts of a date are stops of their own.
        for _ in range(6):
            browser.tab()
            if browser.focused != previous:
                break
        if browser.focused != element:
            return faults + [f"{element.get_attribute('outerHTML')} is skipped"]
        style = browser.evaluate(
            """
            const style = getComputedStyle(arguments[0]), box = arguments[0].getBoundingClientRect();
            const isShown = box.top >= 0 && box.bottom <= innerHeight;
            return arguments[0].matches(":focus-visible") && isShown ? [style.outlineStyle, style.outlineWidth] : [];
            """,
            element,
        )
        if not style or style[0] == "none" or float(style[1].removesuffix("px")) < 2:
            faults.append(f"the focus on {element.get_attribute('outerHTML')} can't be seen: {style}")
    return faults


def frame(browser, site, address):
    """Returns the text of a page if another site can show it in a frame."""
    outer = site.add("/frame", f"<!DOCTYPE html><title>Frame</title><h1>Frame</h1><iframe src='{address}'></iframe>")
    browser.open(outer)
    browser.driver.switch_to.frame(browser.find("iframe"))
    shown = [] if browser.evaluate("return document.URL").startswith("chrome-error:") else [browser.text]
    browser.driver.switch_to.default_content()
    browser.console()
    return shown


class Load:
    """The requests over the network for pages and their files. Redirections count with their page."""

    def __init__(self, browser):
        self.browser = browser
        browser.take_log()
        self.events = []

    def visit(self, address, files):
        """Opens a page, and waits until at least a number of requests and all that have begun are completed."""
        self.browser.open(address)
        wait = WebDriverWait(self.browser.driver, PATIENCE, poll_frequency=0.02)
        wait.until(lambda _: self.is_complete(files))

    def is_complete(self, files):
        self.events += self.browser.take_log()
        return len(self.requests) >= files and self.requests <= self.named("loadingFinished", "loadingFailed")

    def named(self, *names):
        names = {"Network." + name for name in names}
        return {parameters["requestId"] for name, parameters in self.events if name in names}

    @property
    def requests(self):
        cached = self.named("requestServedFromCache")
        sent = {
            parameters["requestId"]
            for name, parameters in self.events
            if name == "Network.requestWillBeSent" and parameters["request"]["url"].startswith("http")
        }
        disk = {
            parameters["requestId"]
            for name, parameters in self.events
            if name == "Network.responseReceived" and parameters["response"].get("fromDiskCache")
        }
        return sent - cached - disk

    @property
    def bytes(self):
        """The size of all responses, with their header fields."""
        whole = sum(
            parameters["encodedDataLength"] for name, parameters in self.events if name == "Network.loadingFinished"
        )
        return whole + sum(
            parameters["redirectResponse"]["encodedDataLength"]
            for name, parameters in self.events
            if name == "Network.requestWillBeSent" and "redirectResponse" in parameters
        )


def cold(browser, address, files=3):
    """Returns what a first visit loads beyond three requests and 30 kB."""
    load = Load(browser)
    load.visit(address, files)
    faults = [] if len(load.requests) <= 3 else [f"{len(load.requests)} requests"]
    return faults + ([] if load.bytes <= 30_000 else [f"{load.bytes} bytes"])


def warm(browser, address):
    """Returns the requests of a later visit beyond that for the page."""
    load = Load(browser)
    # Late requests of the first visit are counted by the second one.
    load.visit(address, 1)
    load.visit(address, 2)
    return [] if len(load.requests) == 2 else [f"{len(load.requests)} requests for two visits"]


EVERY_PAGE = [headers, console, structure, announcement]


def language(browser, wanted):
    """Returns how the page differs from a page in a language."""
    found = browser.find("html").get_attribute("lang")
    return ([] if found == wanted else [f"lang is {found}"]) + headers(browser)
