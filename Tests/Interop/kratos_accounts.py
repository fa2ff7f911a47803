"""Actions of users on their accounts, with a published Python client of Ory Kratos."""

from kratos_login import log_in
from kratos_registration import register
from published_client import Person, actions, beside, expect, messages, same, wrong


def sessions(client):
    person = register(client)
    client.refused(401, lambda: client.frontend.list_my_sessions(), "a list of sessions without a token")
    other, third = log_in(client, person), log_in(client, person)
    listed = client.frontend.list_my_sessions(x_session_token=person.token)
    same(
        {session.id for session in listed},
        {other.session.id, third.session.id},
        "the other sessions are listed",
    )
    client.frontend.disable_my_session(id=str(other.session.id), x_session_token=person.token)
    client.frontend.disable_my_session(id=str(other.session.id), x_session_token=person.token)
    client.refused(
        401,
        lambda: client.frontend.to_session(x_session_token=other.session_token),
        "a session that was ended",
    )
    own = str(client.frontend.to_session(x_session_token=person.token).id)
    for id in (own, "no-id"):
        client.refused(
            400,
            lambda: client.frontend.disable_my_session(id=id, x_session_token=person.token),
            f"a request to end the session {id}",
        )
    ended = client.frontend.disable_my_other_sessions(x_session_token=person.token)
    same(ended.count, 1, "the last other session is ended")
    same(client.frontend.list_my_sessions(x_session_token=person.token), [], "no other session remains")


def settings(client):
    person, other = register(client), register(client)
    nobody = client.refused(401, lambda: client.frontend.create_native_settings_flow(), "a settings flow without a token")
    same(nobody.error.id, "session_inactive", "the error reports that there is no session")
    flow = client.begin("settings", x_session_token=person.token)
    same((flow.state, str(flow.identity.id)), ("show_form", person.identity), "the settings flow shows its identity")
    same(client.get("settings", flow.id, x_session_token=person.token).id, flow.id, "the settings flow can be read again")
    named = {**person.traits, "name": "Kari"}
    saved = client.submit("settings", flow.id, person.token, method="profile", traits=named)
    same((saved.state, messages(saved)), ("success", [1050001]), "a trait is saved")
    same(saved.identity.traits, named, "the identity has the new trait")
    bad = client.step(
        "settings",
        flow.id,
        "an invalid e-mail address",
        person.token,
        method="profile",
        traits={**named, "email": "no-at"},
    )
    expect(beside(bad, "traits.email"), "the error is shown with the trait")
    saved = client.submit(
        "settings", flow.id, person.token, method="password", password="another-Good-pass-9"
    )
    same((saved.state, messages(saved)), ("success", [1050001]), "a password is saved")
    unchanged = client.step(
        "settings",
        flow.id,
        "the same password",
        person.token,
        method="password",
        password="another-Good-pass-9",
    )
    same(beside(unchanged, "password"), [4000039], "the error reports that the password is unchanged")
    stranger = client.refused(
        403,
        lambda: client.submit("settings", flow.id, other.token, method="profile", traits=other.traits),
        "another user's settings flow",
    )
    same(stranger.error.id, "security_identity_mismatch", "the error reports the other identity")


def recovery(client):
    person = register(client)
    flow = client.begin("recovery")
    same(client.get("recovery", flow.id).id, flow.id, "a recovery flow can be read again")
    sent = client.submit("recovery", flow.id, method="code", email=person.email)
    same((sent.state, messages(sent)), ("sent_email", [1060003]), "a code is sent")
    code = client.code(person.email)
    judged = client.submit("recovery", flow.id, method="code", code=wrong(code))
    same((judged.state, messages(judged)), ("sent_email", [4060006]), "a wrong code gets 200")
    passed = client.submit("recovery", flow.id, method="code", code=code)
    same(passed.state, "passed_challenge", "the correct code is accepted")
    same(
        actions(passed.continue_with),
        ["set_ory_session_token", "show_settings_ui"],
        "the response continues with the settings",
    )
    token, shown = (item.actual_instance for item in passed.continue_with)
    recovered = client.frontend.to_session(x_session_token=token.ory_session_token)
    same(
        recovered.authentication_methods[0].method, "code_recovery", "the session was opened by the recovery"
    )
    change = client.get("settings", shown.flow.id, x_session_token=token.ory_session_token)
    same(messages(change), [1060001], "the settings flow shows instructions")
    saved = client.submit(
        "settings", change.id, token.ory_session_token, method="password", password="fresh-Start-pass-1"
    )
    same(saved.state, "success", "the new password is saved")
    person.password = "fresh-Start-pass-1"
    expect(log_in(client, person).session.active, "the new password opens a session")
    client.refused(
        400,
        lambda: client.frontend.create_native_recovery_flow(
            _headers={"X-Session-Token": token.ory_session_token}
        ),
        "a recovery with a session",
    )
    again = client.submit("recovery", flow.id, method="code", code=code)
    same(
        (again.state, messages(again)),
        ("choose_method", [4060001]),
        "a completed recovery continues in a new flow",
    )

    flow = client.begin("recovery")
    nobody = client.submit("recovery", flow.id, method="code", email=Person().email)
    same(
        (nobody.state, messages(nobody)),
        ("sent_email", [1060003]),
        "an unknown address gets the same response as a known one",
    )
    for _ in range(5):
        same(
            messages(client.submit("recovery", flow.id, method="code", code="123456")),
            [4060006],
            "a guess is wrong",
        )
    spent = client.refused(
        400,
        lambda: client.submit("recovery", flow.id, method="code", code="123456"),
        "the sixth guess",
    )
    item = client.models.ContinueWith.from_dict(spent.error.details["continue_with"][0])
    same(item.actual_instance.action, "show_recovery_ui", "the error continues with a new flow")
    same(client.get("recovery", item.actual_instance.flow.id).state, "choose_method", "the new flow exists")


def verification(client):
    person = register(client)
    for address, sent_id, done_id in ((person.email, 1080003, 1080002), (person.phone, 1080004, 1080005)):
        flow = client.begin("verification")
        same(client.get("verification", flow.id).id, flow.id, "a verification flow can be read again")
        sent = client.submit("verification", flow.id, method="code", email=address)
        same((sent.state, messages(sent)), ("sent_email", [sent_id]), "a code is sent")
        code = client.code(address)
        judged = client.submit("verification", flow.id, method="code", code=wrong(code))
        same((judged.state, messages(judged)), ("sent_email", [4070006]), "a wrong code gets 200")
        passed = client.submit("verification", flow.id, method="code", code=code)
        same(
            (passed.state, passed.ui.method, messages(passed)),
            ("passed_challenge", "GET", [done_id]),
            "the correct code is accepted",
        )
        over = client.refused(
            410,
            lambda: client.submit("verification", flow.id, method="code", code=code),
            "a completed verification",
        )
        same(over.error.id, "self_service_flow_replaced", "the error reports that the flow was replaced")
        next = client.get("verification", over.members["use_flow_id"])
        same((next.state, messages(next)), ("choose_method", [4070002]), "the new flow states the reason")
    known = client.frontend.to_session(x_session_token=person.token).identity.verifiable_addresses
    same(
        {(address.verified, address.status) for address in known},
        {(True, "completed")},
        "both addresses are verified",
    )


def logout(client):
    person = register(client)
    body = client.models.PerformNativeLogoutBody(session_token=person.token)
    client.frontend.perform_native_logout(perform_native_logout_body=body)
    client.frontend.perform_native_logout(perform_native_logout_body=body)
    gone = client.refused(
        401,
        lambda: client.frontend.to_session(x_session_token=person.token),
        "whoami after the logout",
    )
    same((gone.error.id, gone.error.code), (None, 401), "the error has no id")
    client.refused(401, lambda: client.frontend.to_session(), "whoami without a token")
    unknown = client.models.PerformNativeLogoutBody(session_token="lk_st_" + "b" * 32)
    client.refused(
        403,
        lambda: client.frontend.perform_native_logout(perform_native_logout_body=unknown),
        "an unknown token",
    )
