"""Drives a server with the published Python client of Ory Kratos, unchanged: sign up, log in, whoami, log out.

usage: kratos_client.py BASE_URL
Prints one line for each step and exits with 1 at the first surprise.
"""

import json
import sys
import uuid

import ory_kratos_client
from ory_kratos_client.api.frontend_api import FrontendApi
from ory_kratos_client.exceptions import ApiException
from ory_kratos_client.models import (
    PerformNativeLogoutBody,
    UpdateLoginFlowBody,
    UpdateLoginFlowWithPasswordMethod,
    UpdateRegistrationFlowBody,
    UpdateRegistrationFlowWithPasswordMethod,
)


def expect(condition, what):
    if not condition:
        print(f"not so: {what}")
        sys.exit(1)
    print(f"ok: {what}")


def refused(status, call, what):
    try:
        call()
    except ApiException as error:
        expect(error.status == status, f"{what} is refused with {status} (was {error.status})")
        return json.loads(error.body)
    expect(False, f"{what} is refused with {status}")


def main(base_url):
    frontend = FrontendApi(ory_kratos_client.ApiClient(ory_kratos_client.Configuration(host=base_url)))
    number = uuid.uuid4().int % 10**8
    email, phone, password = f"person{number}@example.org", f"+4366{number:08}", f"Plenty-of-Salt-{number}"

    flow = frontend.create_native_registration_flow()
    expect(flow.state == "choose_method" and flow.ui.nodes, "a registration flow begins")
    body = UpdateRegistrationFlowBody(
        UpdateRegistrationFlowWithPasswordMethod(
            method="password", password=password, traits={"email": email, "phone": phone}
        )
    )
    signed_up = frontend.update_registration_flow(flow=flow.id, update_registration_flow_body=body)
    expect(signed_up.session.active and signed_up.session_token, "registration gives a session")
    expect(signed_up.identity.traits["email"] == email, "the identity carries the traits")

    again = frontend.create_native_registration_flow()
    answer = refused(
        400,
        lambda: frontend.update_registration_flow(flow=again.id, update_registration_flow_body=body),
        "a second registration of the same person",
    )
    expect(4000007 in [message["id"] for message in answer["ui"]["messages"]], "it says that the account exists")

    for identifier in (email, phone):
        flow = frontend.create_native_login_flow()
        fetched = frontend.get_login_flow(id=flow.id)
        expect(fetched.id == flow.id, "a login flow can be fetched")
        wrong = UpdateLoginFlowBody(
            UpdateLoginFlowWithPasswordMethod(method="password", identifier=identifier, password="not-it-at-all")
        )
        answer = refused(
            400,
            lambda: frontend.update_login_flow(flow=flow.id, update_login_flow_body=wrong),
            "a wrong password",
        )
        expect([m["id"] for m in answer["ui"]["messages"]] == [4000006], "it says that the credentials are wrong")
        right = UpdateLoginFlowBody(
            UpdateLoginFlowWithPasswordMethod(method="password", identifier=identifier, password=password)
        )
        logged_in = frontend.update_login_flow(flow=flow.id, update_login_flow_body=right)
        token = logged_in.session_token
        session = frontend.to_session(x_session_token=token)
        expect(session.id == logged_in.session.id and session.active, "whoami knows the session")
        refused(
            400, lambda: frontend.create_native_login_flow(x_session_token=token), "a login flow beside a session"
        )
        refresh = frontend.create_native_login_flow(refresh=True, x_session_token=token)
        expect(refresh.refresh and refresh.requested_aal == "aal1", "a refresh flow begins beside a session")
        frontend.perform_native_logout(perform_native_logout_body=PerformNativeLogoutBody(session_token=token))
        frontend.perform_native_logout(perform_native_logout_body=PerformNativeLogoutBody(session_token=token))
        refused(401, lambda: frontend.to_session(x_session_token=token), "whoami after the logout")
    refused(401, lambda: frontend.to_session(), "whoami without a token")
    print("all steps passed")


if __name__ == "__main__":
    main(sys.argv[1])
