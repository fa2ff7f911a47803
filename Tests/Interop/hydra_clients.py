"""Manages OAuth clients with a published Python client of Ory Hydra's API, unmodified.

usage: hydra_clients.py ADMIN_URL
Prints one line for each step and exits with 1 at the first unexpected result.
"""

import json
import sys

import ory_client as ory
from ory_client import models
from ory_client.exceptions import ApiException

from published_client import admin_client


def expect(condition, what):
    if not condition:
        print(f"failed: {what}")
        sys.exit(1)
    print(f"ok: {what}")


def main(admin_url):
    admin = ory.OAuth2Api(admin_client(ory, admin_url))

    def refused(status, call, what):
        try:
            call()
        except ApiException as error:
            expect(error.status == status, f"{what} is rejected with {status} (was {error.status})")
            return json.loads(error.body)
        expect(False, f"{what} is rejected with {status}")

    created = admin.create_o_auth2_client(
        models.OAuth2Client(
            client_name="Shop",
            redirect_uris=["https://shop.example.com/callback"],
            grant_types=["authorization_code", "refresh_token"],
            scope="openid offline_access",
            refresh_token_grant_refresh_token_lifespan="720h",
            metadata={"plan": "gold"},
        )
    )
    id = created.client_id
    expect(created.client_secret.startswith("lk_cs_"), "a client is created with a secret")
    expect(created.refresh_token_grant_refresh_token_lifespan == "720h0m0s", "a lifespan is returned")
    expect(not created.additional_properties.keys() - {"application_type", "latchkey"}, "the shape is Hydra's")

    found = admin.get_o_auth2_client(id)
    expect(found.client_secret is None and found.metadata == {"plan": "gold"}, "the client is found without it")
    found.client_name = "New shop"
    replaced = admin.set_o_auth2_client(id, found)
    expect(replaced.client_name == "New shop" and replaced.created_at == found.created_at, "the client is replaced")
    expect(replaced.client_secret is None, "its secret stays")

    patched = admin.patch_o_auth2_client(
        id, [models.JsonPatch(op="add", path="/redirect_uris/-", value="com.example.shop:/callback")]
    )
    expect(len(patched.redirect_uris) == 2, "the client is changed with a patch")
    lifespans = models.OAuth2ClientTokenLifespans(authorization_code_grant_access_token_lifespan="90s")
    limited = admin.set_o_auth2_client_lifespans(id, lifespans)
    expect(limited.authorization_code_grant_access_token_lifespan == "1m30s", "the lifespans are replaced")
    expect(limited.refresh_token_grant_refresh_token_lifespan is None, "other lifespans are removed")

    rotated = admin.rotate_o_auth2_client_secret(id)
    expect(rotated.client_secret not in (None, created.client_secret), "the secret is rotated")
    chosen = models.RotateOAuth2ClientSecretBody(client_secret="correct horse")
    expect(admin.rotate_o_auth2_client_secret(id, chosen).client_secret == "correct horse", "or chosen")
    expect(admin.delete_rotated_o_auth2_client_secrets(id).client_secret is None, "the earlier secret is removed")

    for number in range(3):
        admin.create_o_auth2_client(models.OAuth2Client(client_id=f"client-{number}", owner="list"))
    first = admin.list_o_auth2_clients_with_http_info(page_size=2, owner="list")
    expect([entry.client_id for entry in first.data] == ["client-0", "client-1"], "clients are listed in pages")
    expect('rel="next"' in first.headers["Link"], "with a link to the next page")
    expect([entry.client_id for entry in admin.list_o_auth2_clients(client_name="New shop")] == [id], "or by name")

    def create(**members):
        return lambda: admin.create_o_auth2_client(models.OAuth2Client(**members))

    error = refused(400, create(grant_types=["client_credentials"]), "a grant that the server doesn't have")
    expect("authorization_code, refresh_token" in error["error"]["reason"], "the error lists the others")
    refused(400, create(response_types=["token"]), "the implicit flow")
    refused(409, create(client_id=id), "an id that is taken")
    expect(admin.delete_o_auth2_client(id) is None, "the client is deleted")
    refused(404, lambda: admin.get_o_auth2_client(id), "a deleted client")
    print("all steps passed")


if __name__ == "__main__":
    main(*sys.argv[1:])
