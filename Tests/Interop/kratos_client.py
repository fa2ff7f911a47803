"""Completes every flow of a server with a published Python client of Ory Kratos, unmodified.

usage: kratos_client.py PACKAGE API_URL ADMIN_URL
PACKAGE is ory_kratos_client or ory_client. The server uses the schema `person` and has no limits on codes.
Prints one line for each step and exits with 1 at the first unexpected result.
"""

import sys

from kratos_accounts import logout, recovery, sessions, settings, verification
from kratos_login import login, login_by_code, refresh
from kratos_registration import registration, registration_by_code, registration_of_claimed_address
from published_client import PublishedClient

PARTS = (
    registration,
    registration_of_claimed_address,
    registration_by_code,
    login,
    login_by_code,
    refresh,
    sessions,
    settings,
    recovery,
    verification,
    logout,
)


def main(package, api_url, admin_url):
    client = PublishedClient(package, api_url, admin_url)
    for part in PARTS:
        part(client)
    print("all steps passed")


if __name__ == "__main__":
    main(*sys.argv[1:])
