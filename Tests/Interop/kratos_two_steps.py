"""Registers in two steps, and returns when flows and sessions have expired, with a published client of Ory Kratos.

usage: kratos_two_steps.py PACKAGE API_URL now
       kratos_two_steps.py PACKAGE API_URL later STATE
`now` ends with a line that `later` takes as its STATE; in between, hours pass for the server.
"""

import json
import sys

from published_client import Person, PublishedClient, expect, messages, node, same


def now(client):
    person = Person()
    flow = client.begin("registration")
    expect(all(each.group in ("default", "profile") for each in flow.ui.nodes), "traits come first")
    second = client.step("registration", flow.id, "the traits", method="profile", traits=person.traits)
    same((second.state, messages(second)), ("choose_method", [1040009]), "then a credential is asked for")
    same(node(second, "traits.email").attributes.actual_instance.type, "hidden", "the traits are kept")
    first = client.step(
        "registration", flow.id, "the way back", method="profile", screen="previous", traits=person.traits
    )
    shown = node(first, "traits.email").attributes.actual_instance
    same((shown.type, shown.value), ("email", person.email), "it leads to what was typed")
    client.step("registration", flow.id, "the traits again", method="profile", traits=person.traits)
    answer = client.submit(
        "registration", flow.id, method="password", password=person.password, traits=person.traits
    )
    expect(answer.session.active, "the credential ends the registration")
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
            410, lambda: client.get(kind, flows[kind], **header(session)), "an old " + kind
        )
        same(shown.error.id, "self_service_flow_expired", "it says that it is over")
        over = client.refused(
            410,
            lambda: client.submit(kind, flows[kind], session, **members),
            f"an old {kind}",
        )
        same(over.error.id, "self_service_flow_expired", "it says that it is over")
        next = client.get(kind, over.members["use_flow_id"], **header(session))
        same(messages(next), [message], "the one to go on with says why")

    # Kratos redirects with 303 here, and the client follows.
    moved = client.submit("verification", flows["verification"], method="code", code="123456")
    same(
        (moved.state, messages(moved)), ("choose_method", [4070005]), "an old verification leads to a new one"
    )
    expect(str(moved.id) != flows["verification"], "which is another")

    flow = client.begin("settings", x_session_token=token)
    saved = client.submit("settings", flow.id, token, method="profile", traits={**traits, "name": "Kari"})
    same(saved.state, "success", "an old session changes a name")
    for members in (
        {"method": "password", "password": "another-Good-pass-9"},
        {"method": "profile", "traits": {**traits, "email": Person().email}},
    ):
        refused = client.refused(
            403,
            lambda: client.submit("settings", flow.id, token, **members),
            "what protects the account",
        )
        same(refused.error.id, "session_refresh_required", "it takes a younger login")
        expect("refresh=true" in refused.members["redirect_browser_to"], "it says where")


def header(token):
    return {"x_session_token": token} if token else {}


def main(package, api_url, phase, state="{}"):
    client = PublishedClient(package, api_url)
    now(client) if phase == "now" else later(client, json.loads(state))


if __name__ == "__main__":
    main(*sys.argv[1:])
