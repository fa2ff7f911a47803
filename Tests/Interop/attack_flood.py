"""Floods a server with registrations of an identifier that is taken, while other users log in.

usage: attack_flood.py BASE_URL ADMIN_URL
The server registers the schema `person` and trusts this host as a proxy.
Prints one line for each expectation and exits with 1 if one does not hold.
"""

import collections
import http.client
import json
import math
import sys
import threading
import time
import urllib.parse

from attack_client import Person, Server, Verdicts

THREADS = 4
LOGINS = 30
FLOODER, OTHERS = "198.51.100.1", "192.0.2.{}"


class Flood:
    """One duplicate registration, sent repeatedly on connections that stay open."""

    def __init__(self, server, victim):
        flow = server.begin("registration")
        self.address = urllib.parse.urlsplit(server.url)
        self.path = f"{server.base_path}/self-service/registration?flow={flow}"
        self.body = json.dumps(
            {"method": "password", "password": victim.password, "traits": victim.traits}
        )
        self.statuses = collections.Counter()
        self.lock, self.stopped = threading.Lock(), threading.Event()
        self.threads = [threading.Thread(target=self.run, daemon=True) for _ in range(THREADS)]
        self.start = time.monotonic()
        for thread in self.threads:
            thread.start()

    def run(self):
        connection = http.client.HTTPConnection(self.address.hostname, self.address.port, timeout=60)
        headers = {"Content-Type": "application/json", "X-Forwarded-For": FLOODER}
        while not self.stopped.is_set():
            connection.request("POST", self.path, self.body, headers)
            response = connection.getresponse()
            response.read()
            with self.lock:
                self.statuses[response.status] += 1

    def stop(self):
        """Ends the flood and returns its duration in seconds."""
        self.stopped.set()
        for thread in self.threads:
            thread.join()
        return time.monotonic() - self.start


def main(url, admin_url):
    server, verdicts = Server(url, admin_url), Verdicts()
    people = [Person() for _ in range(LOGINS)]
    for number, person in enumerate(people):
        server.seen_from(OTHERS.format(number + 1)).register(person)
    flood = Flood(server, people[0])
    while sum(flood.statuses.values()) < 200:
        time.sleep(0.01)
    logins = collections.Counter()
    for number, person in enumerate(people):
        # A network from which the account has not logged in.
        client = server.seen_from(OTHERS.format(number + 101))
        logins[client.log_in(person.email, person.password).status] += 1
    seconds = flood.stop()
    rate = sum(flood.statuses.values()) / seconds
    print(f"{rate:.0f} duplicate registrations a second, answered {dict(flood.statuses)}")
    print(f"logins meanwhile: {dict(logins)}")
    verdicts.judge(logins[200] >= LOGINS - 1, "a flood of registrations that keeps other users out")
    verdicts.judge(set(flood.statuses) <= {400, 429}, "a flood of registrations that overloads the server")
    # The limit allows 60 within any 10 seconds.
    allowed = min(250, 60 * (1 + math.ceil(seconds / 10)))
    verdicts.judge(0 < flood.statuses[400] <= allowed, "a flood of registrations that is not limited")
    registered = server.seen_from(OTHERS.format(250)).register(Person())
    verdicts.judge(registered.status == 200, "a flood of registrations that stops those of others")
    verdicts.finish()


if __name__ == "__main__":
    main(*sys.argv[1:])
