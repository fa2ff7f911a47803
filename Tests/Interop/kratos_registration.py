"""Registration with a published Python client of Ory Kratos."""

from published_client import Person, actions, beside, expect, messages, node, same, wrong


def register(client):
    person = Person()
    answer = client.submit(
        "registration",
        client.begin("registration").id,
        method="password",
        password=person.password,
        traits=person.traits,
    )
    person.identity, person.token = str(answer.identity.id), answer.session_token
    return person


def registration(client):
    person = Person()
    flow = client.begin("registration")
    same(flow.state, "choose_method", "a registration waits for a method")
    same(client.get("registration", flow.id).id, flow.id, "a registration flow can be read again")
    weak = client.step(
        "registration",
        flow.id,
        "a short password",
        method="password",
        password="a1",
        traits=person.traits,
    )
    same(beside(weak, "password"), [4000032], "the error is shown with the password")
    bad = client.step(
        "registration",
        flow.id,
        "an invalid e-mail address",
        method="password",
        password=person.password,
        traits={**person.traits, "email": "no-at"},
    )
    expect(beside(bad, "traits.email"), "the error is shown with the trait")
    answer = client.submit(
        "registration", flow.id, method="password", password=person.password, traits=person.traits
    )
    expect(answer.session.active and answer.session_token, "a registration opens a session")
    same(answer.identity.traits, person.traits, "the identity has the traits")
    same(actions(answer.continue_with)[-1:], ["set_ory_session_token"], "the response continues with the token")
    same(
        client.frontend.to_session(x_session_token=answer.session_token).id,
        answer.session.id,
        "whoami returns the session",
    )

    again = client.begin("registration")
    twice = client.step(
        "registration",
        again.id,
        "an existing account",
        method="password",
        password=person.password,
        traits=person.traits,
    )
    same(messages(twice), [4000007], "the error reports that the account exists")
    over = client.refused(
        410,
        lambda: client.submit(
            "registration", flow.id, method="password", password=person.password, traits=person.traits
        ),
        "a completed registration",
    )
    same(over.error.id, "self_service_flow_expired", "the error reports that the flow has expired")
    next = client.get("registration", over.members["use_flow_id"])
    same(messages(next), [4040001], "the new flow states the reason")
    present = client.refused(
        400,
        lambda: client.frontend.create_native_registration_flow(
            _headers={"X-Session-Token": answer.session_token}
        ),
        "a registration with a session",
    )
    same(present.error.id, "session_already_available", "the error reports the session")
    late = client.refused(
        400,
        lambda: client.submit(
            "registration",
            again.id,
            answer.session_token,
            method="password",
            password="a",
            traits=person.traits,
        ),
        "a submission to a registration with a session",
    )
    same(late.error.id, "session_already_available", "the error of the submission reports the session")


def registration_of_claimed_address(client):
    claimant, owner = register(client), Person()
    owner.email = owner.traits["email"] = claimant.email
    flow = client.begin("registration")
    members = {"method": "password", "password": owner.password, "traits": owner.traits}
    asked = client.step("registration", flow.id, "an address that another account claims", **members)
    same(messages(asked), [4000007], "the form shows the same error as before")
    same(beside(asked, "code"), [1040005], "the form asks for a code")
    same(node(asked, "code").group, "password", "the code is submitted with the password")
    code = client.code(owner.email)
    judged = client.step(
        "registration", flow.id, "a wrong code", additional_properties={"code": wrong(code)}, **members
    )
    same((messages(judged), beside(judged, "code")), ([4000007], [4040003]), "the code is wrong")
    answer = client.submit("registration", flow.id, additional_properties={"code": code}, **members)
    verified = {address.value: address.verified for address in answer.identity.verifiable_addresses}
    same(verified[owner.email], True, "the owner has the address")


def registration_by_code(client):
    person = Person()
    flow = client.begin("registration")
    sent = client.step("registration", flow.id, "a request for a code", method="code", traits=person.traits)
    same((sent.state, messages(sent)), ("sent_email", [1040005]), "the code is sent")
    code = client.code(person.email)
    judged = client.step(
        "registration", flow.id, "a wrong code", method="code", code=wrong(code), traits=person.traits
    )
    same((judged.state, messages(judged)), ("sent_email", [4040003]), "the code is wrong")
    changed = client.step(
        "registration", flow.id, "other traits", method="code", code=code, traits=Person().traits
    )
    same(messages(changed), [4000036], "the code was sent for other traits")
    again = client.step(
        "registration", flow.id, "another code", method="code", resend="code", traits=person.traits
    )
    same(messages(again), [1040005], "another code is sent")
    answer = client.submit(
        "registration", flow.id, method="code", code=client.code(person.email), traits=person.traits
    )
    same(answer.session.authentication_methods[0].method, "code", "the session was opened by the code")
    verified = {address.value: address.verified for address in answer.identity.verifiable_addresses}
    same(verified[person.email], True, "the address is verified")

    flow = client.begin("registration")
    sent = client.step("registration", flow.id, "a request for a code", method="code", traits=Person().traits)
    traits = {
        name: node(sent, "traits." + name).attributes.actual_instance.value for name in ("email", "phone")
    }
    code = client.code(traits["email"])
    for _ in range(5):
        client.step("registration", flow.id, "a guess", method="code", code=wrong(code), traits=traits)
    spent = client.step("registration", flow.id, "the sixth guess", method="code", code=code, traits=traits)
    same(messages(spent), [4000001], "there were too many guesses")
