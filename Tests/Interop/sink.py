"""Code shared by the sinks: the mode in a file, reports on standard output, a certificate for TLS."""

import datetime
import ipaddress
import json
import os
import ssl
import threading


class Reports:
    def __init__(self, folder):
        self.folder = folder
        self.count = 0
        self.lock = threading.Lock()

    def mode(self):
        return (self.folder / "mode").read_text()

    def ready(self, port):
        os.write(1, f"port {port}\n".encode())

    def add(self, report):
        # The line ending is written last, so that a reader that waits for it gets the complete line.
        with self.lock:
            self.count += 1
            text = f"{json.dumps(report)}\nend {self.count}\nend {report['key']}\n".encode()
            while text:
                text = text[os.write(1, text):]


def tls(folder):
    """Creates a certificate for 127.0.0.1, in ca.pem, and a TLS context that uses it."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "sink.test")])
    now = datetime.datetime.now(datetime.timezone.utc)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False)
        .sign(key, hashes.SHA256())
    )
    pem = certificate.public_bytes(serialization.Encoding.PEM)
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "ca.pem").write_bytes(pem)
    (folder / "key.pem").write_bytes(secret)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(folder / "ca.pem", folder / "key.pem")
    return context
