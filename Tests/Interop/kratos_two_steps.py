"""Registers in two steps, and returns when flows and sessions have expired, with a published client of Ory Kratos.

usage: kratos_two_steps.py PACKAGE API_URL now
       kratos_two_steps.py PACKAGE API_URL later STATE
The last line that `now` prints is the STATE for `later`; in between, the server's clock advances by hours.
"""

import json
import sys

from published_client import Person, PublishedClient, expect, messages, node, same


def now(client):
    person = Person()
    flow = client.begin("registration")
    expect(all(each.group in ("default", "profile") for each in flow.ui.nodes), "traits come first")
    second = client.step("registration", flow.id, "the traits", method="profile", traits=person.traits)
    same((second.state, messages(second)), ("choose_method", [1040009]), "the second step requests a credential")
    same(node(second, "traits.email").attributes.actual_instance.type, "hidden", "the second step contains the traits")
    first = client.step(
        "registration", flow.id, "a return to the first step", method="profile", screen="previous", traits=person.traits
    )
    shown = node(first, "traits.email").attributes.actual_instance
    same((shown.type, shown.value), ("email", person.email), "the first step shows the submitted traits")
    client.step("registration", flow.id, "the traits again", method="profile", traits=person.traits)
    answer = client.submit(
        "registration", flow.id, method="password", password=person.password, traits=person.traits
    )
    expect(answer.session.active, "the credential completes the registration")
    token = answer.session_token
    flows = {
        kind: str(client.begin(kind).id) for kind in ("login", "registration", "recovery", "verification")
    }
    flows["settings"] = str(client.begin("settings", x_session_token=token).id)
    sent = client.submit("verification", flows["verification"], method="code", email=person.email)
    same(sent.state, "sent_email", "a verification waits for its code")
    print(json.dumps({"traits": person.traits, "token": token, "flows": flows}))


def later(client, state):
    token, flows, traits = state["token"], state["flows"], state["traits"]
    submissions = {
        "login": (None, 4010001, {"method": "password", "identifier": traits["email"], "password": "a"}),
        "registration": (None, 4040001, {"method": "password", "password": "a", "traits": traits}),
        "recovery": (None, 4060005, {"method": "code", "email": traits["email"]}),
        "settings": (token, 4050001, {"method": "profile", "traits": traits}),
    }
    for kind, (session, message, members) in submissions.items():
        shown = client.refused(
            410, lambda: client.get(kind, flows[kind], **header(session)), "an expired " + kind
        )
        same(shown.error.id, "self_service_flow_expired", "the error reports that the flow has expired")
        over = client.refused(
            410,
            lambda: client.submit(kind, flows[kind], session, **members),
            f"a submission to an expired {kind}",
        )
        same(over.error.id, "self_service_flow_expired", "the error reports that the flow has expired")
        next = client.get(kind, over.members["use_flow_id"], **header(session))
        same(messages(next), [message], "the new flow states the reason")

    # Kratos redirects with 303 here, and the client follows.
    moved = client.submit("verification", flows["verification"], method="code", code="123456")
    same(
        (moved.state, messages(moved)), ("choose_method", [4070005]), "an expired verification continues in a new flow"
    )
    expect(str(moved.id) != flows["verification"], "the new flow has another id")

    flow = client.begin("settings", x_session_token=token)
    saved = client.submit("settings", flow.id, token, method="profile", traits={**traits, "name": "Kari"})
    same(saved.state, "success", "a session that is no longer privileged can change a name")
    for members in (
        {"method": "password", "password": "another-Good-pass-9"},
        {"method": "profile", "traits": {**traits, "email": Person().email}},
    ):
        refused = client.refused(
            403,
            lambda: client.submit("settings", flow.id, token, **members),
            "a change of a credential or an identifier",
        )
        same(refused.error.id, "session_refresh_required", "the error requires a more recent login")
        expect("refresh=true" in refused.members["redirect_browser_to"], "the error contains the URL for the login")


def header(token):
    return {"x_session_token": token} if token else {}


def main(package, api_url, phase, state="{}"):
    client = PublishedClient(package, api_url)
    now(client) if phase == "now" else later(client, json.loads(state))


if __name__ == "__main__":
    main(*sys.argv[1:])
