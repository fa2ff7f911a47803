"""An HTTP message provider that accepts, rejects or loses messages or hangs, as a test requests, and reports them.

usage: http_sink.py FOLDER

Prints its port, and a line for every message received. FOLDER/mode contains the mode and is read for every request:

    ok           200
    temporary    503
    permanent    422
    hang         receives the message, but never responds
    drop         closes the connection before it receives the message
    lost         receives the message, but closes the connection without a response
    cut          200, but closes the connection before the end of the body
    credentials  401
"""

import json
import pathlib
import socket
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import sink

reports = sink.Reports(pathlib.Path(sys.argv[1]))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        mode = reports.mode()
        if mode == "drop":
            return self.drop()
        statuses = {"temporary": 503, "permanent": 422, "credentials": 401}
        if mode in statuses:
            return self.answer(statuses[mode])
        reports.add({
            "path": self.path,
            "key": self.headers["Idempotency-Key"],
            "headers": {name.lower(): value for name, value in self.headers.items()},
            "body": json.loads(body),
        })
        if mode == "hang":
            time.sleep(3600)
        if mode == "lost":
            return self.drop()
        if mode == "cut":
            self.answer(200, length=100)
            self.wfile.write(b"{}")
            return self.drop()
        self.answer(200)

    def answer(self, status, length=0):
        self.send_response(status)
        self.send_header("Content-Length", str(length))
        self.end_headers()

    def drop(self):
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, *arguments):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
reports.ready(server.server_port)
server.serve_forever()
