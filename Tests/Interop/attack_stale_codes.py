"""Requests codes to a mailbox of the owner, and enters them after the account has changed.

usage: attack_stale_codes.py BASE_URL ADMIN_URL
The server registers the schema `person`. The attacker reads the owner's mailbox.
Prints one line for each attempt and exits with 1 if one succeeded.
"""

import sys

from attack_client import Person, Server, Verdicts

KINDS = ("login", "recovery", "verification")


class Stolen:
    """Codes that the attacker requested and read before the change, one in a flow of each kind."""

    def __init__(self, server, email):
        self.server, self.email = server, email
        self.flows = {kind: server.ask(kind, email) for kind in KINDS}
        self.codes = {kind: server.code(email, kind) for kind in KINDS}

    def enter_all(self, verdicts, change):
        """Enters each code in its flow; none may be accepted."""
        for kind in KINDS:
            answer = self.server.enter(kind, self.flows[kind], self.email, self.codes[kind])
            is_right = answer.session_token or answer.get("state") == "passed_challenge"
            verdicts.judge(not is_right, f"a {kind} code from before {change}", answer)

    def ask_again(self, verdicts, change):
        """Requests another code in each flow and in new flows; none may be sent to the old mailbox."""
        server, email = self.server, self.email
        for kind in ("login", "recovery"):
            name = "identifier" if kind == "login" else "email"
            for flow, which in ((self.flows[kind], "the old"), (server.begin(kind), "a new")):
                answer = server.submit(kind, flow, method="code", resend="code", **{name: email})
                code = server.fresh_code(email, kind)
                verdicts.judge(code is None, f"another code in {which} {kind} flow after {change}", answer)


def change_email(server, owner):
    """Replaces the e-mail address in the owner's settings."""
    flow = server.begin("settings", token=owner.token)
    owner.email = Person().email
    answer = server.submit("settings", flow, owner.token, method="profile", traits=owner.traits)
    answer.expect()


def change_email_and_back(server, owner):
    """Replaces the e-mail address and then undoes the replacement."""
    email = owner.email
    change_email(server, owner)
    owner.email = email
    flow = server.begin("settings", token=owner.token)
    server.submit("settings", flow, owner.token, method="profile", traits=owner.traits).expect()


def change_password(server, owner):
    """Replaces the password in the owner's settings."""
    flow = server.begin("settings", token=owner.token)
    owner.password += "-new"
    server.submit("settings", flow, owner.token, method="password", password=owner.password).expect()


def recover(server, owner):
    """Recovers the account with a code."""
    answer = server.enter_by_code("recovery", owner.email).expect()
    owner.token = answer.session_token or sys.exit(f"the owner cannot recover; {answer}")


def recover_and_set_password(server, owner):
    """Recovers the account with a code and sets a password."""
    recover(server, owner)
    change_password(server, owner)


def set_password_as_operator(server, owner):
    """Replaces the password in the administration API, which ends the sessions."""
    owner.password += "-new"
    credentials = {"password": {"config": {"password": owner.password}}}
    replace_as_operator(server, owner, credentials=credentials)
    owner.token = server.log_in(owner.email, owner.password).session_token


def change_email_as_operator(server, owner):
    """Replaces the e-mail address in the administration API."""
    owner.email = Person().email
    replace_as_operator(server, owner)


def replace_as_operator(server, owner, **members):
    identity = {"schema_id": "person", "state": "active", "traits": owner.traits, **members}
    server.admin("PUT", f"/identities/{owner.identity}", identity).expect()


def release_as_operator(server, owner):
    """Removes all roles of the e-mail address in the administration API."""
    server.admin("POST", "/addresses/release", {"address": owner.email}).expect()


CHANGES = [
    (change_email, "a change of the e-mail"),
    (change_email_and_back, "a change of the e-mail that was undone"),
    (change_password, "a change of the password"),
    (recover, "a recovery"),
    (recover_and_set_password, "a recovery with a new password"),
    (set_password_as_operator, "a new password by the operator"),
    (change_email_as_operator, "a new e-mail by the operator"),
    (release_as_operator, "the release of the e-mail by the operator"),
]
LOST = (change_email, change_email_as_operator, release_as_operator)


def main(url, admin_url):
    server, verdicts = Server(url, admin_url), Verdicts()
    for change, name in CHANGES:
        owner = Person()
        server.confirm(owner)
        stolen = Stolen(server, owner.email)
        change(server, owner)
        stolen.enter_all(verdicts, name)
        if change in LOST:
            stolen.ask_again(verdicts, name)
        who = server.whoami(owner.token)
        verdicts.judge(who.status == 200, f"an end of the owner's session by {name}", who)
        again = server.log_in(owner.phone, owner.password)
        verdicts.judge(again.status == 200, f"a lock-out of the owner by {name}", again)

    # Without a change, the same codes are accepted; otherwise the attempts above would prove nothing.
    for kind in KINDS:
        owner = Person()
        server.confirm(owner)
        stolen = Stolen(server, owner.email)
        answer = server.enter(kind, stolen.flows[kind], owner.email, stolen.codes[kind])
        is_right = answer.session_token or answer.get("state") == "passed_challenge"
        verdicts.judge(is_right, f"a refusal of a {kind} code without a change", answer)
    verdicts.finish()


if __name__ == "__main__":
    main(*sys.argv[1:])
