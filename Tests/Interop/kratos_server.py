"""Runs an Ory Kratos program on loopback for tests, and reports its address and the codes that it sends.

usage: kratos_server.py PROGRAM FOLDER

The database, the configuration and the log are in FOLDER. Prints `url URL` once the server is ready, then `code ADDRESS
NUMBER DIGITS end` for every message with a code; NUMBER counts the messages to an address. Kratos ends together with this
script.
"""

import base64
import collections
import ctypes
import json
import pathlib
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PROGRAM, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
APP = "https://app.example.com"
TEMPLATE = "function(ctx) { to: ctx.recipient, body: ctx.body }"
counts, lock = collections.Counter(), threading.Lock()


class Courier(BaseHTTPRequestHandler):
    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")
        if code := re.search(r"\b\d{6}\b", message["body"]):
            with lock:
                counts[message["to"]] += 1
                print(f"code {message['to']} {counts[message['to']]} {code[0]} end", flush=True)

    def log_message(self, *arguments):
        pass


def trait(format, title, via, **more):
    """Returns the schema of an address that is an identifier and can be verified."""
    credentials = {"password": {"identifier": True}, "code": {"identifier": True, "via": via}}
    extension = {"credentials": credentials, "verification": {"via": via}} | more
    return {"type": "string", "format": format, "title": title, "ory.sh/kratos": extension}


def schema():
    traits = {
        "email": trait("email", "E-mail", "email", recovery={"via": "email"}),
        "phone": trait("tel", "Phone", "sms"),
        "nickname": {"type": "string", "title": "Nickname", "maxLength": 20},
        "name": {"type": "object", "properties": {name: {"type": "string"} for name in ("first", "last")}},
    }
    properties = {"traits": {"type": "object", "properties": traits, "additionalProperties": False}}
    return {"$id": "https://example.com/schema.json", "title": "Test", "type": "object", "properties": properties}


def configuration(public, admin, courier):
    request = {
        "url": f"http://127.0.0.1:{courier}/",
        "method": "POST",
        "headers": {"Content-Type": "application/json"},
        "body": "base64://" + base64.b64encode(TEMPLATE.encode()).decode(),
    }
    after = {"hooks": [{"hook": "session"}, {"hook": "show_verification_ui"}]}
    flows = {
        "login": {"ui_url": APP + "/login"},
        "registration": {"ui_url": APP + "/registration", "after": {"password": after, "code": after}},
        "settings": {"ui_url": APP + "/settings", "privileged_session_max_age": "2s"},
        "recovery": {"enabled": True, "ui_url": APP + "/recovery", "use": "code"},
        "verification": {"enabled": True, "ui_url": APP + "/verification", "use": "code"},
    }
    methods = {
        "password": {"enabled": True, "config": {"haveibeenpwned_enabled": False}},
        "code": {"enabled": True, "passwordless_enabled": True},
        "link": {"enabled": False},
        "profile": {"enabled": True},
    }
    return {
        "dsn": f"sqlite://{FOLDER}/kratos.sqlite?_fk=true&_journal_mode=WAL",
        "log": {"level": "warning"},
        "serve": {
            name: {"base_url": f"http://127.0.0.1:{port}", "host": "127.0.0.1", "port": port}
            for name, port in (("public", public), ("admin", admin))
        },
        "selfservice": {"default_browser_return_url": APP + "/", "methods": methods, "flows": flows},
        "secrets": {"cookie": ["c" * 32], "cipher": ["d" * 32]},
        "hashers": {"algorithm": "bcrypt", "bcrypt": {"cost": 4}},
        "identity": {"default_schema_id": "test", "schemas": [{"id": "test", "url": f"file://{FOLDER}/schema.json"}]},
        "courier": {
            "channels": [{"id": "sms", "type": "http", "request_config": request}],
            "delivery_strategy": "http",
            "http": {"request_config": request},
            "worker": {"pull_wait": "100ms"},
        },
        "feature_flags": {"use_continue_with_transitions": True},
    }


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def end_with_parent():
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def main():
    courier = ThreadingHTTPServer(("127.0.0.1", 0), Courier)
    threading.Thread(target=courier.serve_forever, daemon=True).start()
    public, admin = free_port(), free_port()
    (FOLDER / "schema.json").write_text(json.dumps(schema()))
    path = FOLDER / "kratos.json"
    path.write_text(json.dumps(configuration(public, admin, courier.server_port)))
    with open(FOLDER / "log", "w") as log:
        options = {"stdout": log, "stderr": log, "preexec_fn": end_with_parent}
        subprocess.run([PROGRAM, "migrate", "sql", "-e", "--yes", "-c", path], check=True, **options)
        server = subprocess.Popen(
            [PROGRAM, "serve", "--dev", "--sqa-opt-out", "--watch-courier", "-c", path], **options
        )
        while server.poll() is None:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{public}/health/ready", timeout=1)
                break
            except OSError:
                time.sleep(0.1)
        print(f"url http://127.0.0.1:{public}", flush=True)
        sys.exit(server.wait())


main()
