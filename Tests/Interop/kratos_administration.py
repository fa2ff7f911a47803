"""The operator's calls of a published Python client of Ory Kratos."""

from kratos_login import log_in
from published_client import Person, expect, same


def administration(client):
    people(client)
    sessions(client)


def people(client):
    api, models, person = client.identities, client.models, Person()
    password = models.IdentityWithCredentialsPassword(
        config=models.IdentityWithCredentialsPasswordConfig(password=person.password)
    )
    body = models.CreateIdentityBody(
        schema_id="person",
        traits=person.traits,
        credentials=models.IdentityWithCredentials(password=password),
        metadata_admin={"note": "made by a client"},
    )
    made = api.create_identity(create_identity_body=body)
    id = str(made.id)
    same((made.state, made.traits), ("active", person.traits), "an identity is made")
    expect(log_in(client, person).session.active, "its password opens a session")
    client.refused(
        409,
        lambda: api.create_identity(create_identity_body=body),
        "to make the same identity",
    )
    same(str(api.get_identity(id=id).id), id, "it is found by its id")
    found = api.list_identities(credentials_identifier=person.email)
    same([str(each.id) for each in found], [id], "it is found by its address")
    expect(api.list_identities(page_size=1), "identities are listed")

    named = {**person.traits, "name": "Kari"}
    body = models.UpdateIdentityBody(schema_id="person", state="active", traits=named)
    changed = api.update_identity(id=id, update_identity_body=body)
    same(changed.traits, named, "its traits are replaced")
    patch = [models.JsonPatch(op="replace", path="/state", value="inactive")]
    same(api.patch_identity(id=id, json_patch=patch).state, "inactive", "it is closed")
    api.delete_identity(id=id)
    client.refused(404, lambda: api.get_identity(id=id), "an identity that was deleted")
    client.refused(404, lambda: api.delete_identity(id=id), "to delete it again")


def sessions(client):
    api, models, person = client.identities, client.models, Person()
    body = models.CreateIdentityBody(schema_id="person", traits=person.traits)
    body.credentials = models.IdentityWithCredentials(
        password=models.IdentityWithCredentialsPassword(
            config=models.IdentityWithCredentialsPasswordConfig(password=person.password)
        )
    )
    identity = str(api.create_identity(create_identity_body=body).id)
    opened = [log_in(client, person) for _ in range(3)]
    ids = {str(each.session.id) for each in opened}
    listed = api.list_identity_sessions(id=identity)
    same({str(each.id) for each in listed}, ids, "the sessions of an identity are listed")
    expect(api.list_sessions(page_size=1), "sessions are listed")
    first = str(opened[0].session.id)
    shown = api.get_session(id=first, expand=["identity", "devices"])
    same((str(shown.identity.id), shown.active), (identity, True), "a session is shown")
    same(str(api.extend_session(id=first).id), first, "it is extended")
    api.disable_session(id=first)
    same(api.get_session(id=first).active, False, "it is ended")
    api.delete_identity_sessions(id=identity)
    for each in opened:
        client.refused(
            401,
            lambda: client.frontend.to_session(x_session_token=each.session_token),
            "a session that the operator has ended",
        )
    client.refused(
        404,
        lambda: api.get_session(id="11111111-1111-4111-8111-111111111111"),
        "a session that nobody knows",
    )
