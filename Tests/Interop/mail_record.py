"""Parses a mail with Python's own mail package."""

import email
import email.policy


def text(part):
    return part.get_content().replace("\r\n", "\n") if part else None


def clean(value):
    """Decodes a non-ASCII field (RFC 6532), whose bytes the parser returns as surrogates."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if isinstance(value, list):
        return [clean(element) for element in value]
    if isinstance(value, dict):
        return {name: clean(element) for name, element in value.items()}
    return value


def record(server, session, envelope):
    raw = envelope.content
    mail = email.message_from_bytes(raw, policy=email.policy.default)
    plain = mail.get_body(("plain",))
    html = mail.get_body(("html",))
    defects = [str(defect) for part in mail.walk() for defect in part.defects]
    defects += [f"{name}: {defect}" for name, value in mail.items() for defect in value.defects]
    return clean({
        "key": str(mail["message-id"]).strip("<>").split("@")[0],
        "helo": session.host_name,
        "tls": server.transport.get_extra_info("ssl_object") is not None,
        "authenticated": bool(session.authenticated),
        "from": envelope.mail_from,
        "to": envelope.rcpt_tos,
        "names": [name for name, _ in mail.items()],
        "fields": {name.lower(): str(value) for name, value in mail.items()},
        "senders": [[address.display_name, address.addr_spec] for address in mail["from"].addresses],
        "recipients": [address.addr_spec for address in mail["to"].addresses],
        "types": [part.get_content_type() for part in mail.walk()],
        "plain": text(plain),
        "html": text(html),
        "defects": defects,
        "longest": max(len(line) for line in raw.split(b"\r\n")),
        "bare": raw.replace(b"\r\n", b"").count(b"\n") + raw.replace(b"\r\n", b"").count(b"\r"),
        "trailing": sum(line[-1:] in (b" ", b"\t") for line in raw.split(b"\r\n")),
        "ascii": raw.isascii(),
    })
