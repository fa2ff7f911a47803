"""A mail server that accepts, rejects or loses mails or hangs, as a test requests, and reports them.

usage: smtp_sink.py FOLDER [--starttls | --tls] [--user NAME:PASSWORD] [--ascii]

Prints its port, and a line for every mail received. FOLDER/mode contains the mode and is read for every mail:

    ok           accepts the mail
    temporary    451 to the recipient
    permanent    550 to the recipient
    content      554 to the mail
    sender       550 to the sender
    hang         receives the mail, but never responds
    drop         closes the connection before it receives the mail
    lost         receives the mail, but closes the connection without a response
    cut          accepts the mail, but closes the connection before the end of the reply
    credentials  530 to the recipient

With --ascii, the server does not offer SMTPUTF8.
"""

import asyncio
import pathlib
import sys

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

import sink
from mail_record import record


class Handler:
    def __init__(self, reports):
        self.reports = reports

    async def handle_MAIL(self, server, session, envelope, address, options):
        if self.reports.mode() == "sender":
            return "550 5.7.1 not from you"
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 2.1.0 go on"

    async def handle_RCPT(self, server, session, envelope, address, options):
        mode = self.reports.mode()
        if mode == "temporary":
            return "451 4.7.1 come back later"
        if mode == "permanent":
            return "550 5.1.1 nobody here"
        if mode == "credentials":
            return "530 5.7.0 authentication required"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 go on"

    async def handle_DATA(self, server, session, envelope):
        mode = self.reports.mode()
        if mode == "content":
            return "554 5.6.0 I do not like it"
        if mode == "drop":
            server.transport.abort()
            return "421 never sent"
        self.reports.add(record(server, session, envelope))
        if mode == "hang":
            await asyncio.sleep(3600)
        if mode == "lost":
            server.transport.abort()
        if mode == "cut":
            server.transport.write(b"250-2.0.0 taken\r\n")
            server.transport.close()
        return "250 2.0.0 taken"


async def main():
    folder = pathlib.Path(sys.argv[1])
    reports = sink.Reports(folder)
    flags = sys.argv[2:]
    user = flags[flags.index("--user") + 1] if "--user" in flags else None
    context = sink.tls(folder) if "--starttls" in flags or "--tls" in flags else None

    def authenticate(server, session, envelope, mechanism, data):
        known = isinstance(data, LoginPassword) and b":".join([data.login, data.password]) == user.encode()
        return AuthResult(success=known, handled=False)

    def protocol():
        return SMTP(
            Handler(reports),
            enable_SMTPUTF8="--ascii" not in flags,
            hostname="sink.test",
            tls_context=context if "--starttls" in flags else None,
            require_starttls="--starttls" in flags,
            auth_required=user is not None,
            authenticator=authenticate if user else None,
            auth_require_tls="--starttls" in flags,
        )

    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        protocol, "127.0.0.1", 0, ssl=context if "--tls" in flags else None
    )
    reports.ready(server.sockets[0].getsockname()[1])
    await asyncio.sleep(3600)


asyncio.run(main())
