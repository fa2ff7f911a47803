"""Headless Chromium, driven through WebDriver, and a small website that the browser can be sent to.

Every `Browser` has a profile of its own. Chromium's log is the source for requests, header fields and console messages.
"""

import ctypes
import http.server
import json
import os
import shutil
import signal
import tempfile
import threading
import urllib.parse

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.wait import WebDriverWait

from published_client import expect

# Chromium resolves this name to the script's own website.
APP = "http://app.example.com"
PATIENCE = 30
LIBC = ctypes.CDLL(None)


def die_with_parent():
    """Ends the driver when the script is killed. The browser then ends, too, because its pipe is closed."""
    LIBC.prctl(1, signal.SIGKILL)


class Site:
    """A website of an app, which serves the pages that it is given."""

    def __init__(self):
        app = "<!DOCTYPE html><html lang=en><title>The app</title><h1>The app</h1></html>"
        self.pages = {"/favicon.ico": "", "/in": app}
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                page = site.pages.get(urllib.parse.urlsplit(self.path).path)
                body = (page or "").encode()
                self.send_response(404 if page is None else 200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.port = server.server_address[1]

    def add(self, path, html):
        """Adds a page, and returns its address."""
        self.pages[path] = html
        return APP + path


class Browser:
    """A browser with an empty profile, without scripts unless they are requested."""

    open_browsers = []

    def __init__(self, site, scripts=False, cookies=True):
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        for argument in (
            "--headless=new",
            "--remote-debugging-pipe",
            # The browser only opens pages of the tests, which may run as root.
            "--no-sandbox",
            "--disable-dev-shm-usage",
            "--disable-gpu",
            "--disable-background-networking",
            "--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable",
            "--window-size=1024,900",
            f"--host-resolver-rules=MAP app.example.com 127.0.0.1:{site.port}, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        ):
            options.add_argument(argument)
        settings = {"intl.accept_languages": "en"}
        if not scripts:
            settings["profile.managed_default_content_settings.javascript"] = 2
        if not cookies:
            settings["profile.default_content_setting_values.cookies"] = 2
        options.add_experimental_option("prefs", settings)
        # The website of a test has a certificate of its own.
        options.accept_insecure_certs = True
        options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
        # Chromium leaves files in the folder for temporary files.
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        service = webdriver.ChromeService(
            executable_path=shutil.which("chromedriver"),
            env={**os.environ, "TMPDIR": self.folder.name},
            popen_kw={"preexec_fn": die_with_parent},
        )
        self.driver = webdriver.Chrome(options=options, service=service)
        self.driver.set_page_load_timeout(PATIENCE)
        self.events = []
        Browser.open_browsers.append(self)

    def close(self):
        Browser.open_browsers.remove(self)
        self.driver.quit()
        self.folder.cleanup()

    @classmethod
    def close_all(cls):
        for browser in list(cls.open_browsers):
            browser.close()

    def start_again(self):
        """Deletes the cookies of all sites, and closes all tabs but one."""
        self.command("Network.clearBrowserCookies")
        first, *others = self.driver.window_handles
        for tab in others:
            self.driver.switch_to.window(tab)
            self.driver.close()
        self.driver.switch_to.window(first)

    # Pages.

    def open(self, address):
        self.driver.get(address)

    @property
    def address(self):
        return self.driver.current_url

    @property
    def path(self):
        return urllib.parse.urlsplit(self.address).path

    @property
    def title(self):
        return self.driver.title

    @property
    def heading(self):
        return self.find("h1").text

    @property
    def text(self):
        return self.find("body").text

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def evaluate(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    # Forms.

    def field(self, name):
        return self.find(f'input[name="{name}"]:not([type=hidden])')

    def fill(self, **values):
        """Types values into fields; `__` in a name stands for a dot."""
        for name, value in values.items():
            field = self.field(name.replace("__", "."))
            field.clear()
            field.send_keys(value)

    def press(self, selector):
        """Presses a button or follows a link, and waits for the next page."""
        self.leave(self.find(selector).click)

    def leave(self, action):
        """Performs an action that leads to another page, and waits until that page is complete."""
        page = self.document
        action()
        WebDriverWait(self.driver, PATIENCE, poll_frequency=0.02).until(
            lambda driver: self.document != page and self.evaluate("return document.readyState") == "complete"
        )

    @property
    def document(self):
        """A value that differs between documents, also between two loads of the same address."""
        return self.evaluate("return performance.timeOrigin")

    def submit(self, button="button.primary", **values):
        self.fill(**values)
        self.press(button)

    # Keyboard.

    def type(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def tab(self):
        self.type(Keys.TAB)

    @property
    def focused(self):
        return self.driver.switch_to.active_element

    # Settings of the device.

    def command(self, name, **parameters):
        return self.driver.execute_cdp_cmd(name, parameters)

    def narrow(self, width=360):
        self.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=740, deviceScaleFactor=1, mobile=True
        )

    def widen(self):
        self.command("Emulation.clearDeviceMetricsOverride")

    def color(self, scheme):
        self.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def speak(self, languages):
        agent = self.evaluate("return navigator.userAgent")
        self.command("Emulation.setUserAgentOverride", userAgent=agent, acceptLanguage=languages)

    def slow_down(self, latency):
        """Delays responses by some milliseconds."""
        self.command(
            "Network.emulateNetworkConditions",
            offline=False, latency=latency, downloadThroughput=-1, uploadThroughput=-1,
        )

    # Log.

    def read_log(self):
        """Reads the events of the network since the last call."""
        for entry in self.driver.get_log("performance"):
            event = json.loads(entry["message"])["message"]
            self.events.append((event["method"], event["params"]))

    def take_log(self):
        """Returns the events of the network since the last call, and forgets them."""
        self.read_log()
        events, self.events = self.events, []
        return events

    @property
    def response(self):
        """The response with the current page: its status, and its header fields by their names in lower case."""
        self.read_log()
        responses = [
            parameters["response"]
            for name, parameters in self.events
            if name == "Network.responseReceived" and parameters["type"] == "Document"
        ]
        found = responses[-1]
        return found["status"], {name.lower(): value for name, value in found["headers"].items()}

    def console(self):
        """Returns the messages on the console since the last call, as source and text."""
        return [(entry["source"], entry["message"]) for entry in self.driver.get_log("browser")]


def require_chromium():
    for command in ("chromium", "chromedriver"):
        expect(shutil.which(command), f"{command} is installed")
