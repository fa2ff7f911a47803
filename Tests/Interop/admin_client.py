"""Uses the operator's API with one of the published Python clients, unmodified.

usage: admin_client.py PACKAGE BASE_URL ADMIN_URL   (PACKAGE is ory_kratos_client or ory_client)
Prints one line for each step and exits with 1 at the first unexpected result.
"""

import importlib
import json
import sys
import uuid

from published_client import admin_client

BCRYPT = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"


def expect(condition, what):
    if not condition:
        print(f"failed: {what}")
        sys.exit(1)
    print(f"ok: {what}")


def main(package, base_url, admin_url):
    ory = importlib.import_module(package)
    models = importlib.import_module(package + ".models")
    ApiException = importlib.import_module(package + ".exceptions").ApiException

    def client(url):
        return ory.ApiClient(ory.Configuration(host=url))

    def refused(status, call, what):
        try:
            call()
        except ApiException as error:
            expect(error.status == status, f"{what} is rejected with {status} (was {error.status})")
            return json.loads(error.body)
        expect(False, f"{what} is rejected with {status}")

    admin = ory.IdentityApi(admin_client(ory, admin_url))
    courier = ory.CourierApi(admin_client(ory, admin_url))
    metadata = ory.MetadataApi(admin_client(ory, admin_url))
    stranger = ory.IdentityApi(client(admin_url))
    people = ory.FrontendApi(client(base_url))
    number = uuid.uuid4().int % 10**7

    def traits(index):
        return {"email": f"person{number}-{index}@example.org", "phone": f"+4366{number:07}{index}"}

    def body(index, **more):
        return models.CreateIdentityBody(schema_id="person", traits=traits(index), **more)

    def credentials(**config):
        return models.IdentityWithCredentials(
            password=models.IdentityWithCredentialsPassword(
                config=models.IdentityWithCredentialsPasswordConfig(**config)
            )
        )

    refused(401, lambda: stranger.list_identities(), "a list without the token")
    refused(401, lambda: stranger.create_identity(create_identity_body=body(1)), "a new identity without the token")
    expect(metadata.get_version().version, "the version is returned")
    schemas = {schema.id for schema in admin.list_identity_schemas()}
    expect("person" in schemas and admin.get_identity_schema(id="person"), "the schemas are listed and returned")

    made = admin.create_identity(
        create_identity_body=body(
            1,
            credentials=credentials(hashed_password=BCRYPT),
            metadata_admin={"risk": 2},
            metadata_public={"plan": "gold"},
            external_id=f"crm-{number}",
            state="active",
        )
    )
    # One of the clients returns IDs as UUIDs, but accepts them as strings.
    made_id = str(made.id)
    expect(made.state == "active" and made.metadata_admin == {"risk": 2}, "an identity is created")
    expect(set(made.credentials["password"].identifiers) == set(traits(1).values()), "the identity lists its login identifiers")
    expect(made.verifiable_addresses[0].status == "pending", "the addresses are not verified yet")
    refused(409, lambda: admin.create_identity(create_identity_body=body(1)), "a second identity with the same traits")
    refused(400, lambda: admin.create_identity(create_identity_body=models.CreateIdentityBody(schema_id="person", traits={})), "an identity without traits")

    def log_in(index, password):
        flow = people.create_native_login_flow()
        return people.update_login_flow(
            flow=str(flow.id),
            update_login_flow_body=models.UpdateLoginFlowBody(
                models.UpdateLoginFlowWithPasswordMethod(
                    method="password", identifier=traits(index)["email"], password=password
                )
            ),
        )

    first = log_in(1, "U*U")
    expect(first.session.active, "the imported password is accepted")
    refused(400, lambda: log_in(1, "U*V"), "another password")
    expect(log_in(1, "U*U").session.active, "the password is accepted after it was hashed again")

    shown = admin.get_identity(id=made_id, include_credential=["password"])
    expect("hashed_password" not in json.dumps(shown.credentials["password"].config), "no hash is shown")
    expect(admin.get_identity_by_external_id(external_id=f"crm-{number}").id == made.id, "the identity is found by its external id")
    refused(404, lambda: admin.get_identity(id=str(uuid.uuid4())), "a nonexistent identity")

    batch = admin.batch_patch_identities(
        patch_identities_body=models.PatchIdentitiesBody(
            identities=[models.IdentityPatch(create=body(index), patch_id=str(uuid.uuid4())) for index in (2, 3, 1)]
        )
    )
    expect([item.action for item in batch.identities] == ["create", "create", "error"], "a batch creates several identities")
    found = admin.list_identities(credentials_identifier=traits(2)["phone"])
    expect([identity.id for identity in found] == [batch.identities[0].identity], "an identity is found by its phone number")
    ids = [made_id] + [str(item.identity) for item in batch.identities[:2]]
    expect({str(identity.id) for identity in admin.list_identities(ids=ids)} == set(ids), "identities are found by their ids")
    everybody, token = [], None
    while True:
        page = admin.list_identities_with_http_info(page_size=2, page_token=token)
        everybody += [str(identity.id) for identity in page.data]
        links = [link for link in page.headers["Link"].split(",") if link.endswith('rel="next"')]
        if not links:
            break
        token = links[0].split("page_token=")[1].split(">")[0]
    expect(set(ids) <= set(everybody) and len(everybody) == len(set(everybody)), "the pages contain each identity once")

    numbered = [admin.list_identities(page=page, per_page=2) for page in (0, 1)]
    expect([str(identity.id) for page in numbered for identity in page] == everybody[:4], "pages can be selected by number")
    refused(400, lambda: admin.list_identities(preview_credentials_identifier_similar="person"), "a search for part of an identifier")
    expect(admin.list_identities(organization_id=str(uuid.uuid4())) == [], "no identity is in an organization")
    keys = admin.patch_identity(
        id=ids[1], json_patch=[models.JsonPatch(op="add", path="/metadata_admin/crm/id", value=7)]
    )
    expect(keys.metadata_admin == {"crm": {"id": 7}}, "a patch creates missing parents")
    named = admin.patch_identity(id=ids[1], json_patch=[models.JsonPatch(op="replace", path="/traits/name", value="Ola")])
    expect(named.traits["name"] == "Ola", "a patch adds a missing trait with replace")
    code = admin.get_identity(id=ids[1], include_credential=["code"]).credentials["code"]
    expect(set(code.identifiers) == set(traits(2).values()), "codes are sent to the addresses")

    patched = admin.patch_identity(
        id=made_id, json_patch=[models.JsonPatch(op="replace", path="/metadata_public", value={"plan": "silver"})]
    )
    expect(patched.metadata_public == {"plan": "silver"}, "a patch changes the member that it names")
    refused(400, lambda: admin.patch_identity(id=made_id, json_patch=[models.JsonPatch(op="replace", path="/id", value="x")]), "a patch that changes the id")
    put = admin.update_identity(
        id=made_id,
        update_identity_body=models.UpdateIdentityBody(schema_id="person", state="active", traits=traits(1)),
    )
    expect(put.metadata_public is None and put.external_id is None, "a replacement removes the members that it omits")

    sessions = admin.list_identity_sessions(id=made_id)
    expect(len(sessions) == 2 and all(session.active for session in sessions), "the sessions of one identity are listed")
    listed = admin.list_sessions(active=True, expand=["identity", "devices"], page_size=250)
    expect({session.id for session in sessions} <= {session.id for session in listed}, "all sessions are listed")
    bare = admin.get_session(id=str(first.session.id))
    expect(bare.id == first.session.id and bare.identity is None, "a session is shown without its identity")
    extended = admin.extend_session(id=str(first.session.id))
    expect(extended.expires_at >= first.session.expires_at, "a session is extended")
    admin.disable_session(id=str(first.session.id))
    refused(401, lambda: people.to_session(x_session_token=first.session_token), "a revoked session")
    for _ in range(2):
        admin.delete_identity_sessions(id=made_id)
    expect(not any(session.active for session in admin.list_identity_sessions(id=made_id)), "all sessions of the identity end")

    if package == "ory_client":
        # The other client does not support it yet.
        log_in(1, "U*U")
        ended = admin.manage_sessions(
            manage_sessions_body=models.ManageSessionsBody(action="disable", identities=[made_id])
        )
        expect((ended.processed, ended.more) == (1, False), "sessions are ended in bulk")

    code = admin.create_recovery_code_for_identity(
        create_recovery_code_for_identity_body=models.CreateRecoveryCodeForIdentityBody(
            identity_id=made_id, expires_in="1h"
        )
    )
    recovered = people.update_recovery_flow(
        flow=code.recovery_link.split("flow=")[1],
        update_recovery_flow_body=models.UpdateRecoveryFlowBody(
            models.UpdateRecoveryFlowWithCodeMethod(method="code", code=code.recovery_code)
        ),
    )
    expect(recovered.state == "passed_challenge", "a recovery code gives access to the account")

    flow = people.create_native_recovery_flow()
    people.update_recovery_flow(
        flow=str(flow.id),
        update_recovery_flow_body=models.UpdateRecoveryFlowBody(
            models.UpdateRecoveryFlowWithCodeMethod(method="code", email=traits(1)["email"])
        ),
    )
    messages = courier.list_courier_messages(recipient=traits(1)["email"])
    expect([message.body for message in messages] == [""], "messages are listed without their content")
    expect(courier.get_courier_message(id=str(messages[0].id)).id == messages[0].id, "a message is shown")

    admin.delete_identity_credentials(id=made_id, type="password")
    refused(400, lambda: log_in(1, "U*U"), "a removed password")
    for identity in ids:
        admin.delete_identity(id=identity)
    refused(404, lambda: admin.delete_identity(id=made_id), "a deleted identity")
    print("all steps passed")


if __name__ == "__main__":
    main(*sys.argv[1:])
