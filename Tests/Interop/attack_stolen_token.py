"""Uses stolen tokens: replaced session tokens, access tokens, provisional session tokens, refresh tokens.

usage: attack_stolen_token.py BASE_URL ADMIN_URL
The server registers the schemas `person`, which is the default, and `customer`.
Prints one line for each attempt and exits with 1 if one succeeded.
"""

import sys

from attack_client import CERTIFICATES, Device, Person, Server, Verdicts


def change_account(server, token, flows, what, verdicts, holds):
    """Tries to change the password and the e-mail in each of the settings flows."""
    thief = Person()
    for which, flow in flows.items():
        password = server.submit("settings", flow, token, method="password", password=thief.password)
        verdicts.judge(holds(password), f"{what}: a new password in {which}", password)
        traits = {"email": thief.email, "phone": thief.phone}
        profile = server.submit("settings", flow, token, method="profile", traits=traits)
        verdicts.judge(holds(profile), f"{what}: a new e-mail and phone in {which}", profile)


def authenticate_again(server, owner):
    """Logs in again with the session and returns its new token."""
    flow = server.begin("login", token=owner.token, query="?refresh=true")
    members = {"method": "password", "identifier": owner.email, "password": owner.password}
    return server.submit("login", flow, owner.token, **members).expect().session_token


def replaced_token(server, is_used, verdicts):
    """A session token that the owner's re-authentication has replaced: it is not privileged."""
    owner = Person()
    server.confirm(owner)
    stolen = owner.token
    flows = {"a settings flow from before": server.begin("settings", token=stolen)}
    session = server.whoami(stolen).get("id")
    owner.token = authenticate_again(server, owner)
    what = "a replaced token" + (" whose successor was used" if is_used else "")
    verdicts.judge(owner.token not in (None, stolen), f"{what}: the token stays the same")
    if is_used:
        server.whoami(owner.token).expect()
        flows["a settings flow of the owner"] = server.begin("settings", token=owner.token)
    flows["a settings flow of its own"] = server.begin("settings", token=stolen)

    def needs_login(answer):
        return answer.status == 403 and answer.get("error", "id") == "session_refresh_required"

    change_account(server, stolen, flows, what, verdicts, needs_login)

    # If the thief re-authenticates as another user, the new session belongs to the thief's own account.
    thief = Person()
    server.register(thief)
    flow = server.begin("login", token=stolen, query="?refresh=true")
    members = {"method": "password", "identifier": thief.email, "password": thief.password}
    answer = server.submit("login", flow, stolen, **members)
    who = server.whoami(answer.session_token)
    holds = who.get("identity", "id") != owner.identity and who.get("id") != session
    verdicts.judge(holds, f"{what}: a re-authentication as the thief", answer)
    for which, password in (("a wrong password", "Not-the-owner's-9"), ("no password", "")):
        flow = server.begin("login", token=stolen, query="?refresh=true")
        members = {"method": "password", "identifier": owner.email, "password": password}
        answer = server.submit("login", flow, stolen, **members)
        verdicts.judge(answer.session_token is None, f"{what}: a re-authentication with {which}", answer)

    # A certificate would turn a token that is about to expire into tokens that last as long as the session.
    device = Device()
    answer = server.enrol(stolen, device)
    verdicts.judge(answer.status in (401, 403), f"{what}: a certificate for the thief's key", answer)
    answer = server.exchange(stolen, device)
    verdicts.judge(answer.status != 200, f"{what}: an exchange for tokens of the thief's key", answer)

    login = server.log_in(owner.email, owner.password)
    verdicts.judge(login.status == 200, f"{what}: a lock-out of the owner", login)
    flow = server.begin("settings", token=owner.token)
    answer = server.submit("settings", flow, owner.token, method="password", password=owner.password + "-new")
    verdicts.judge(answer.status == 200, f"{what}: the new token is not privileged", answer)


def access_token(server, verdicts):
    """Tries an access token: it gives access to whoami, but not to any other route of the account."""
    owner, device = Person(), Device()
    server.confirm(owner)
    other = server.log_in(owner.email, owner.password).expect()
    server.enrol(owner.token, device).expect()
    pair = server.exchange(owner.token, device).expect().body
    stolen = pair["access_token"]
    settings = server.begin("settings", token=owner.token)
    flows = {"a settings flow of the owner": settings}

    what = "an access token"
    base = server.base_path
    change_account(server, stolen, flows, what, verdicts, lambda answer: answer.status == 401)
    requests = [
        ("a settings flow", "GET", f"{base}/self-service/settings/api", None),
        ("the settings flow of the owner", "GET", f"{base}/self-service/settings/flows?id={settings}", None),
        ("a list of the sessions", "GET", f"{base}/sessions", None),
        ("an end of the other sessions", "DELETE", f"{base}/sessions", None),
        ("an end of one session", "DELETE", f"{base}/sessions/{other.get('session', 'id')}", None),
        ("a certificate for the thief's key", "PUT", CERTIFICATES, {"csr": Device().request()}),
        ("a certificate for the owner's key", "PUT", CERTIFICATES, {"csr": device.request()}),
    ]
    for attempt, method, path, value in requests:
        for header, prefix in (("Authorization", "Bearer "), ("X-Session-Token", "")):
            answer = server.call(method, path, value, headers={header: prefix + stolen})
            verdicts.judge(answer.status == 401, f"{what} in {header}: {attempt}", answer)
    flow = server.call("GET", f"{base}/self-service/login/api?refresh=true", token=stolen).expect()
    holds = owner.email not in flow.text and owner.phone not in flow.text
    verdicts.judge(holds, f"{what}: a login flow that shows the owner's identifiers", flow)
    answer = server.call("DELETE", f"{base}/self-service/logout/api", {"session_token": stolen})
    verdicts.judge(answer.status == 403, f"{what}: a logout", answer)
    answer = server.exchange(stolen, device)
    verdicts.judge(answer.status == 400, f"{what}: an exchange for a token pair", answer)
    for token, session in ((owner.token, "the owner's session"), (other.session_token, "the other session")):
        who = server.whoami(token)
        verdicts.judge(who.status == 200, f"{what}: an end of {session}", who)
    who = server.whoami(stolen)
    verdicts.judge(who.status == 200, f"{what}: whoami rejects the token, too", who)

    answer = server.refresh(pair["refresh_token"], Device())
    verdicts.judge(answer.status == 400, "a refresh token: a refresh with the thief's key", answer)
    answer = server.refresh(pair["refresh_token"], device)
    verdicts.judge(answer.status == 200, "a refresh token: the attempt ends the owner's tokens", answer)


def provisional_token(server, is_login, is_bound, verdicts):
    """The session token of a customer whose device has no certificate yet."""
    owner, device, thief = Person(), Device(), Device()
    url = f"{server.url}{server.base_path}/self-service/{'login' if is_login else 'registration'}"
    proof = {"DPoP": device.proof("POST", url)} if is_bound else {}
    answer = server.register_customer(owner, headers={} if is_login else proof)
    if is_login:
        answer = server.log_in(owner.phone, owner.passcode, headers=proof).expect()
    stolen = answer.session_token
    kind = "login" if is_login else "sign-up"
    what = f"a provisional token of a {kind} {'with' if is_bound else 'without'} a proof"

    base = server.base_path
    for attempt, method, path, value in (
        ("whoami", "GET", f"{base}/sessions/whoami", None),
        ("a settings flow", "GET", f"{base}/self-service/settings/api", None),
        ("a list of the sessions", "GET", f"{base}/sessions", None),
        ("an end of the other sessions", "DELETE", f"{base}/sessions", None),
    ):
        answer = server.call(method, path, value, token=stolen)
        holds = answer.status == 403 and answer.get("error", "id") == "device_certificate_required"
        verdicts.judge(holds, f"{what}: {attempt}", answer)
    answer = server.exchange(stolen, thief)
    verdicts.judge(answer.status == 400, f"{what}: an exchange for tokens of the thief's key", answer)

    if is_bound:
        steal_enrolment(server, stolen, thief, what, verdicts)
        answer = server.call("PUT", CERTIFICATES, {"csr": device.request(signer=thief)}, token=stolen)
        verdicts.judge(answer.status == 400, f"{what}: the owner's key with the thief's signature", answer)
    answer = server.enrol(stolen, device)
    verdicts.judge(answer.status == 200, f"{what}: the owner cannot enrol the device", answer)
    steal_enrolment(server, stolen, thief, what + ", after the owner's enrolment", verdicts)
    answer = server.exchange(stolen, thief)
    verdicts.judge(answer.status == 400, f"{what}: an exchange for tokens of the thief's key afterwards", answer)
    answer = server.exchange(stolen, device)
    verdicts.judge(answer.status == 200, f"{what}: the owner gets no tokens", answer)


def steal_enrolment(server, stolen, thief, what, verdicts):
    """Tries to enrol the thief's key, without and with a proof of its own."""
    url = server.url + CERTIFICATES
    for which, headers in (("", {}), (" and a proof of it", {"DPoP": thief.proof("PUT", url)})):
        answer = server.enrol(stolen, thief, headers)
        holds = answer.status == 409 and answer.get("error", "id") == "certificate_key_differs"
        verdicts.judge(holds, f"{what}: a certificate for the thief's key{which}", answer)


def false_proofs(server, verdicts):
    """Sends invalid proofs: the login is rejected, or bound to the key nevertheless."""
    owner, device, thief = Person(), Device(), Device()
    server.register_customer(owner)
    login = server.url + f"{server.base_path}/self-service/login"
    head, payload, signature = device.proof("POST", login).split(".")
    for which, value in (
        ("another URL", device.proof("POST", login + "/elsewhere")),
        ("another method", device.proof("GET", login)),
        ("another key", ".".join([thief.proof("POST", login).split(".")[0], payload, signature])),
        ("no signature", f"{head}.{payload}."),
    ):
        answer = server.log_in(owner.phone, owner.passcode, headers={"DPoP": value})
        if answer.session_token and which in ("another URL", "another method"):
            steal_enrolment(server, answer.session_token, thief, f"a login with a proof of {which}", verdicts)
        else:
            verdicts.judge(answer.status == 400, f"a login with a proof of {which}", answer)


def main(url, admin_url):
    server, verdicts = Server(url, admin_url), Verdicts()
    for is_used in (False, True):
        replaced_token(server, is_used, verdicts)
    access_token(server, verdicts)
    for is_login in (True, False):
        for is_bound in (True, False):
            provisional_token(server, is_login, is_bound, verdicts)
    false_proofs(server, verdicts)
    verdicts.finish()


if __name__ == "__main__":
    main(*sys.argv[1:])
