"""Creates accounts with a victim's e-mail address, and tries to retain access after the victim has proven the address.

usage: attack_prehijack.py BASE_URL ADMIN_URL [closed]
The server registers the schema `person` and trusts loopback as a proxy. With `closed`, the server has a different default
schema, so it must reject registrations with `person`.
Prints one line for each attempt and exits with 1 if one succeeded.
"""

import base64
import json
import sys
import urllib.parse

from attack_client import Device, Person, Server, Verdicts

# The networks from which the requests come, for a server that trusts loopback as a proxy.
VICTIM, ATTACKER = "203.0.113.7", "198.51.100.9"

SHARED = "the victim is led into the attacker's account"

CLAIM_ONLY = "verified nothing"
PROVEN_INSIDE = "verified the phone inside"
PROVEN_OUTSIDE = "verified the phone in an unbound flow"


class Attacker:
    """An account with the victim's e-mail address and the attacker's own phone, and all ways to regain access to it."""

    def __init__(self, server, victim, preparation):
        self.server, self.victim = server, victim
        self.person = Person(email=victim.email)
        self.phone = self.person.phone
        answer = server.register(self.person)
        self.flows = answer.verifications
        self.phone_code = server.code(self.phone, "verification")
        self.device = Device()
        server.enrol(self.person.token, self.device).expect()
        self.pair = server.exchange(self.person.token, self.device).expect().body
        self.settings = server.begin("settings", token=self.person.token)
        if preparation == PROVEN_INSIDE:
            self.verify_inside()
        if preparation == PROVEN_OUTSIDE:
            flow = server.ask("verification", self.phone)
            server.enter("verification", flow, self.phone, server.code(self.phone, "verification")).expect()
        self.login = server.ask("login", self.phone)
        self.login_code = server.code(self.phone, "login")
        self.verification = server.ask("verification", self.phone)
        self.verification_code = server.code(self.phone, "verification")

    def verify_inside(self):
        self.server.enter("verification", self.flows[self.phone], self.phone, self.phone_code).expect()

    def attempts(self):
        """Yields the attacker's attempts: a description, and the response or `None` if no code was sent."""
        server, person, email, phone = self.server, self.person, self.victim.email, self.phone
        profile = {"method": "profile", "traits": {**person.traits, "name": "Owner"}}
        yield "whoami with the session of the registration", server.whoami(person.token)
        yield "whoami with an access token", server.whoami(self.pair["access_token"])
        yield "a refresh of the token pair", server.refresh(self.pair["refresh_token"], self.device)
        yield "an exchange of the session", server.exchange(person.token, self.device)
        yield "a certificate for another key", server.enrol(person.token, Device())
        yield "the settings flow from before the reclaim", server.submit("settings", self.settings, person.token, **profile)
        flow = self.flows[phone]
        yield (
            "the registration's verification flow of the phone, with its code",
            server.enter("verification", flow, phone, self.phone_code),
        )
        yield (
            "the registration's verification flow of the e-mail, used for the phone",
            server.submit("verification", self.flows[email], method="code", email=phone),
        )
        yield (
            "an unbound verification flow of the phone from before, with its code",
            server.enter("verification", self.verification, phone, self.verification_code),
        )
        yield "a code to the phone from before", server.enter("login", self.login, phone, self.login_code)
        yield "a login by a code to the phone", server.enter_by_code("login", phone)
        yield "a recovery by a code to the phone", server.enter_by_code("recovery", phone)
        yield "a login with the phone and the password", server.log_in(phone, person.password)
        yield "a login with the victim's e-mail and the password", server.log_in(email, person.password)

    def claims(self):
        """Attempts to claim the victim's e-mail again without a proof."""
        server = self.server
        members = {"method": "password", "password": self.person.password}
        traits = Person(email=self.victim.email).traits
        yield (
            "another registration with the victim's e-mail",
            server.submit("registration", server.begin("registration"), traits=traits, **members),
        )
        other = Person()
        server.register(other)
        flow = server.begin("settings", token=other.token)
        traits = {**other.traits, "email": self.victim.email}
        yield (
            "a change of another account's e-mail to the victim's",
            server.submit("settings", flow, other.token, method="profile", traits=traits),
        )


def opened(server, answer):
    """Returns the identity to which a response gives access, or `None`."""
    if answer is None or answer.status != 200:
        return None
    if answer.get("access_token"):
        payload = answer.get("access_token").split(".")[1]
        return json.loads(base64.urlsafe_b64decode(payload + "=="))["sub"]
    if answer.session_token:
        return server.whoami(answer.session_token).get("identity", "id")
    return answer.get("identity", "id")


def victim_enters(server, victim, entrance):
    """Returns the response to the victim's correct code."""
    if entrance == "a login":
        return server.enter_by_code("login", victim.email)
    if entrance == "a recovery":
        return server.enter_by_code("recovery", victim.email)
    if entrance == "a sign-up":
        return server.register_by_code(victim)
    flow = server.ask("verification", victim.email)
    return server.enter("verification", flow, victim.email, server.code(victim.email, "verification"))


def try_all(server, attacker, identity, scene, verdicts):
    """Checks every attempt against the account that now belongs to the victim."""
    is_reclaimed = identity == attacker.person.identity
    for attempt, answer in attacker.attempts():
        found = opened(server, answer)
        holds = found != identity
        if is_reclaimed and answer is not None:
            # The attempts must not change the account even without a session.
            holds = holds and not (answer.status == 200 and answer.get("state") in ("passed_challenge", "success"))
            holds = holds and not answer.get("certificate")
        if attempt.endswith("the victim's e-mail and the password"):
            holds = holds and found is None
        own = " into the attacker's own account" if found == attacker.person.identity and not is_reclaimed else ""
        verdicts.judge(holds, f"{scene}: {attempt}{own}", answer)
    for attempt, answer in attacker.claims():
        verdicts.judge(4000007 in answer.messages, f"{scene}: {attempt}", answer)


def keeps_its_address(server, victim, token, attacker, scene, verdicts):
    """Checks that the account lists only the victim's address, and that a code gives access to it."""
    who = server.whoami(token)
    listed = {address["value"] for address in who.get("identity", "verifiable_addresses") or []}
    verdicts.judge(attacker.phone not in listed, f"{scene}: the phone has a role in the victim's account", who)
    identity = who.get("identity", "id")
    again = server.enter_by_code("login", victim.email)
    verdicts.judge(opened(server, again) == identity, f"{scene}: the victim is locked out", again)


def run(server, preparation, entrance, verdicts):
    """Tests one account that was created in advance, with one way for the victim to log in."""
    scene = f"{preparation}, then {entrance} of the victim"
    victim = Person()
    attacker = Attacker(server.seen_from(ATTACKER), victim, preparation)
    answer = victim_enters(server, victim, entrance)
    if entrance == "a verification":
        verdicts.judge(answer.session_token is None, f"{scene}: the verification opens a session", answer)
        answer = server.enter_by_code("login", victim.email)
        if preparation == PROVEN_INSIDE and answer.session_token:
            verdicts.judge(False, f"{scene}: {SHARED}", answer)
    if preparation != CLAIM_ONLY and entrance != "a sign-up":
        # Only a verification by the victim may have an effect: it reclaims the account.
        is_refused = answer.status == 400 and answer.session_token is None and answer.messages
        if is_refused or entrance != "a verification":
            verdicts.judge(is_refused, f"{scene}: {SHARED}", answer)
            answer = server.register_by_code(victim)
    token = answer.session_token
    verdicts.judge(token is not None, f"{scene}: the victim is locked out", answer)
    if token is None:
        return
    identity = server.whoami(token).get("identity", "id")
    try_all(server, attacker, identity, scene, verdicts)
    keeps_its_address(server, victim, token, attacker, scene, verdicts)


def confirm_late(server, verdicts):
    """The attacker confirms the account after the victim has verified the e-mail in an unbound flow."""
    scene = "a verification of the victim, then of the phone inside"
    victim = Person()
    attacker = Attacker(server.seen_from(ATTACKER), victim, CLAIM_ONLY)
    victim_enters(server, victim, "a verification").expect()
    attacker.verify_inside()
    answer = server.enter_by_code("login", victim.email)
    is_shared = answer.session_token and server.whoami(attacker.person.token).status == 200
    verdicts.judge(not is_shared, f"{scene}: {SHARED}", answer)


def knock(server, verdicts):
    """Registers with a closed schema: all attempts are rejected, and no response reveals which schemas exist."""
    path = f"{server.base_path}/self-service/registration/api?identity_schema="
    unknown = server.call("GET", path + "nothing-of-the-kind")
    verdicts.judge(unknown.status == 400, "a registration of a schema that does not exist", unknown)
    for name in ("person", "business", "reader", "shopper", "person%00", "Person", "person&identity_schema=customer"):
        answer = server.call("GET", path + name)
        same = (answer.status, answer.get("error")) == (unknown.status, unknown.get("error"))
        is_same = same or name in ("person%00", "person&identity_schema=customer")
        is_refused = answer.status == 400 and answer.get("id") is None
        verdicts.judge(is_refused and is_same, f"a registration of the schema {name}", answer)

    victim = Person()
    members = {"method": "password", "password": victim.password, "traits": victim.traits}
    for name in ("identity_schema", "schema_id", "schema"):
        flow = server.begin("registration")
        query = urllib.parse.urlencode({"flow": flow, name: "person"})
        path = f"{server.base_path}/self-service/registration?{query}"
        answer = server.call("POST", path, {**members, name: "person"})
        verdicts.judge(answer.status == 400, f"person traits in a flow of the default schema, with {name}", answer)
        answer = server.submit("registration", server.begin("login", query=f"?{name}=person"), **members)
        verdicts.judge(answer.status in (400, 404), f"a registration in a login flow begun with {name}", answer)

    # The sign-up proves a customer's phone; the e-mail address is only claimed and must not give access.
    attacker = Person(email=victim.email)
    flow = server.begin("registration")
    members = {"phoneType": "PRIMARY", "flowId": flow, "flowType": "REGISTRATION"}
    path = "/identity/verification/flow/phone"
    server.call("POST", path, {**members, "phoneNumber": attacker.phone}).expect(201)
    members["otp"] = server.code(attacker.phone, "verification")
    server.call("PATCH", path, members).expect()
    stolen = {"method": "password", "password": attacker.passcode, "traits": {"phone": victim.phone}}
    answer = server.submit("registration", flow, **stolen)
    verdicts.judge(answer.status == 400, "a sign-up with another phone than the verified one", answer)
    stolen["traits"] = attacker.traits
    server.submit("registration", flow, **stolen).expect()
    answer = server.enter_by_code("recovery", victim.email)
    holds = answer is None or answer.session_token is None
    verdicts.judge(holds, "a recovery of the victim leads into the attacker's customer account", answer)


def main(url, admin_url, mode=None):
    server, verdicts = Server(url, admin_url).seen_from(VICTIM), Verdicts()
    if mode == "closed":
        knock(server, verdicts)
    else:
        for preparation in (CLAIM_ONLY, PROVEN_INSIDE, PROVEN_OUTSIDE):
            for entrance in ("a login", "a recovery", "a sign-up", "a verification"):
                run(server, preparation, entrance, verdicts)
        confirm_late(server, verdicts)
    verdicts.finish()


if __name__ == "__main__":
    main(*sys.argv[1:])
