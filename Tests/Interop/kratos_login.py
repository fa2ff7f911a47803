"""Login with a published Python client of Ory Kratos."""

from kratos_registration import register
from published_client import Person, expect, messages, same, wrong


def log_in(client, person):
    flow = client.begin("login")
    return client.submit(
        "login", flow.id, method="password", identifier=person.email, password=person.password
    )


def login(client):
    person = register(client)
    for identifier in (person.email, person.phone):
        flow = client.begin("login")
        same(client.get("login", flow.id).id, flow.id, "a login flow can be read again")
        refusal = client.step(
            "login",
            flow.id,
            "a wrong password",
            method="password",
            identifier=identifier,
            password="not-it-at-all",
        )
        same((refusal.state, messages(refusal)), ("choose_method", [4000006]), "the credentials are wrong")
        answer = client.submit(
            "login", flow.id, method="password", identifier=identifier, password=person.password
        )
        same(str(answer.session.identity.id), person.identity, "a login opens a session of the account")
        expect(answer.session_token != person.token, "the session has its own token")
    over = client.refused(
        410,
        lambda: client.submit(
            "login", flow.id, method="password", identifier=person.email, password=person.password
        ),
        "a completed login",
    )
    same(over.error.id, "self_service_flow_expired", "the error reports that the flow has expired")
    same(
        messages(client.get("login", over.members["use_flow_id"])),
        [4010001],
        "the new flow states the reason",
    )
    present = client.refused(
        400,
        lambda: client.frontend.create_native_login_flow(x_session_token=person.token),
        "a login with a session",
    )
    same(present.error.id, "session_already_available", "the error reports the session")
    late = client.step(
        "login",
        client.begin("login").id,
        "a submission with a session",
        person.token,
        method="password",
        identifier="a",
        password="b",
    )
    same(messages(late), [4000001], "the flow reports the session")
    unknown = client.refused(
        404,
        lambda: client.get("login", "11111111-1111-4111-8111-111111111111"),
        "a nonexistent flow",
    )
    same(unknown.error.code, 404, "the flow is not found")


def confirm(client, person):
    """Verifies both addresses with the user's session, so that codes to either address do not reclaim the account."""
    for address in (person.email, person.phone):
        flow = client.begin("verification")
        client.submit("verification", flow.id, person.token, method="code", email=address)
        passed = client.submit(
            "verification", flow.id, person.token, method="code", code=client.code(address)
        )
        same(passed.state, "passed_challenge", "an address is verified")


def login_by_code(client):
    person = register(client)
    confirm(client, person)
    flow = client.begin("login")
    sent = client.step("login", flow.id, "a code is asked for", method="code", identifier=person.phone)
    same((sent.state, sent.active, messages(sent)), ("sent_email", "code", [1010014]), "it is sent")
    old = client.code(person.phone)
    judged = client.step(
        "login", flow.id, "a wrong code", method="code", identifier=person.phone, code=wrong(old)
    )
    same((judged.state, messages(judged)), ("sent_email", [4010008]), "it is wrong")
    again = client.step(
        "login", flow.id, "another code", method="code", identifier=person.phone, resend="code"
    )
    same((again.state, messages(again)), ("sent_email", [1010014]), "it is sent again")
    code = client.code(person.phone)
    if old != code:
        dead = client.step("login", flow.id, "the old code", method="code", identifier=person.phone, code=old)
        same(messages(dead), [4010008], "it is good for nothing any more")
    answer = client.submit("login", flow.id, method="code", identifier=person.phone, code=code)
    same(answer.session.authentication_methods[0].method, "code", "the right one opens a session")

    flow = client.begin("login")
    client.step("login", flow.id, "a code is asked for", method="code", identifier=person.email)
    code = client.code(person.email)
    for _ in range(5):
        client.step("login", flow.id, "a guess", method="code", identifier=person.email, code=wrong(code))
    spent = client.step(
        "login", flow.id, "the sixth guess", method="code", identifier=person.email, code=code
    )
    same(messages(spent), [4000001], "there were too many")
    nobody = client.step(
        "login", client.begin("login").id, "an unknown address", method="code", identifier=Person().email
    )
    same((nobody.state, messages(nobody)), ("sent_email", [1010014]), "it is answered like a known one")


def refresh(client):
    person = register(client)
    for method in ("password", "code"):
        flow = client.begin("login", refresh=True, x_session_token=person.token)
        same(
            (flow.refresh, flow.requested_aal, messages(flow)),
            (True, "aal1", [1010003]),
            "it is to be proved again",
        )
        members = {"method": method, "identifier": person.email}
        if method == "password":
            members["password"] = person.password
        else:
            sent = client.step("login", flow.id, "a code is asked for", person.token, **members)
            same(messages(sent), [1010025], "it is sent to somebody who is logged in")
            members["code"] = client.code(person.email)
        answer = client.submit("login", flow.id, person.token, **members)
        expect(answer.session_token != person.token, "the session goes on under a new token")
        same(str(answer.session.id), str(client.frontend.to_session(x_session_token=person.token).id), "it is the same")
        person.token = answer.session_token
        same(answer.session.authentication_methods[-1].method, method, "it knows how it was proved")
