import LatchkeyCrypto
import LatchkeyModel
import TestProcesses
import Testing

@Suite struct `Certificate authority` {
    private static let made = Timestamp(seconds: 1_795_248_680)
    private static let decade = Duration.seconds(3653 * 86_400)

    private let identity = Identifier()
    private let device = Identifier()

    private func authority() throws -> CertificateAuthority {
        try .make(commonName: "Latchkey CA", notBefore: Self.made, notAfter: Self.made + Self.decade)
    }

    private func leaf(
        _ authority: CertificateAuthority,
        key: SigningKey,
        notBefore: Timestamp = made,
        notAfter: Timestamp = made + .seconds(90 * 86_400)
    ) throws -> Certificate {
        let request = try CertificateSigningRequest(
            pem: .init(CertificateSigningRequest.pem(commonName: "me", key: key))
        )
        return try authority.issue(
            request.verified(),
            identity: identity,
            device: device,
            notBefore: notBefore,
            notAfter: notAfter
        )
    }

    @Test func `openssl accepts issued certificates only for TLS clients and only while they are valid`()
        async throws
    {
        let authority = try authority()
        let openssl = try OpenSSLCommand()
        try openssl.write(authority.certificate.pem, to: "ca.pem")
        try openssl.write(leaf(authority, key: .generate()).pem, to: "leaf.pem")

        func verify(_ purpose: String, at time: Timestamp) async throws -> ChildProcess.Outcome {
            try await openssl.run([
                "verify", "-x509_strict", "-purpose", purpose, "-attime", "\(time.seconds)", "-CAfile",
                "ca.pem",
                "leaf.pem",
            ])
        }

        let accepted = try await verify("sslclient", at: Self.made)
        #expect(accepted.code == 0, "\(accepted.text)")
        #expect(try await verify("sslclient", at: Self.made + .seconds(90 * 86_400 - 1)).code == 0)
        #expect(try await verify("sslserver", at: Self.made).code != 0)
        #expect(try await verify("sslclient", at: Self.made - .seconds(1)).code != 0)
        #expect(try await verify("sslclient", at: Self.made + .seconds(90 * 86_400 + 1)).code != 0)
    }

    @Test func `Issued certificates cannot sign other certificates`() async throws {
        let openssl = try OpenSSLCommand()
        try openssl.write(authority().certificate.pem, to: "ca.pem")

        let text = try await openssl.run(["x509", "-in", "ca.pem", "-noout", "-text"]).output

        for line in [
            "X509v3 Basic Constraints: critical", "CA:TRUE, pathlen:0",
            "X509v3 Key Usage: critical", "Certificate Sign, CRL Sign",
            "X509v3 Subject Key Identifier", "CN = Latchkey CA", "Version: 3",
        ] {
            #expect(text.contains(line), "\(text)")
        }
    }

    @Test func `The subject and extensions in a request are ignored`() async throws {
        let openssl = try OpenSSLCommand()
        try await openssl.run([
            "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", "key.pem",
        ])
        try await openssl.run([
            "req", "-new", "-key", "key.pem", "-subj", "/O=Wishes/CN=admin", "-out", "request.pem",
            "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "subjectAltName=DNS:admin.example",
            "-addext", "extendedKeyUsage=serverAuth",
        ])
        let request = try CertificateSigningRequest(pem: openssl.read("request.pem")).verified()
        let certificate = try authority().issue(
            request,
            identity: identity,
            device: device,
            notBefore: Self.made,
            notAfter: Self.made + .seconds(60)
        )
        try openssl.write(certificate.pem, to: "leaf.pem")

        let text = try await openssl.run(["x509", "-in", "leaf.pem", "-noout", "-text"]).output

        for line in [
            "X509v3 Basic Constraints: critical", "CA:FALSE",
            "X509v3 Key Usage: critical", "Digital Signature",
            "TLS Web Client Authentication",
            "X509v3 Subject Key Identifier", "X509v3 Authority Key Identifier",
            "URI:urn:uuid:\(identity), URI:urn:uuid:\(device)",
            "Subject: CN = \(identity)\n", "Issuer: CN = Latchkey CA\n", "Version: 3",
        ] {
            #expect(text.contains(line), "\(line) in \(text)")
        }
        for wish in ["admin", "Wishes", "CA:TRUE", "TLS Web Server Authentication"] {
            #expect(!text.contains(wish), "\(text)")
        }
    }

    @Test func `Issued certificates can be parsed`() async throws {
        let key = try SigningKey.generate()
        let certificate = try leaf(authority(), key: key)
        let openssl = try OpenSSLCommand()
        try openssl.write(certificate.pem, to: "leaf.pem")

        let read = try Certificate(pem: certificate.pem)

        #expect(read.der == certificate.der)
        #expect(read.serial == certificate.serial)
        #expect(read.serial.count == 16)
        #expect(read.notBefore == Self.made)
        #expect(read.notAfter == Self.made + .seconds(90 * 86_400))
        #expect(read.publicKey.thumbprint == key.publicKey.thumbprint)
        #expect(read.commonName == identity.description)
        let serial = try await openssl.run(["x509", "-in", "leaf.pem", "-noout", "-serial"]).output
        #expect(serial == "serial=\(read.serialNumber.uppercased())\n")
    }

    @Test func `Each certificate has a unique serial number`() throws {
        let authority = try authority()
        let key = try SigningKey.generate()

        let serials = try (0..<50).map { _ in try leaf(authority, key: key).serial }

        #expect(Set(serials).count == 50)
        #expect(serials.allSatisfy { $0.count == 16 && $0[0] < 0x80 })
    }

    @Test func `Issued certificates expire no later than the authority`() throws {
        let certificate = try leaf(
            authority(),
            key: .generate(),
            notBefore: Self.made,
            notAfter: Self.made + Self.decade + .seconds(1)
        )

        #expect(certificate.notAfter == Self.made + Self.decade)
    }

    @Test(arguments: [
        Timestamp(seconds: 1_795_248_680), Timestamp(seconds: 1_795_248_679),
        Timestamp(microseconds: .min), Timestamp(seconds: -100_000_000_000),
    ])
    func `A certificate that would expire before it becomes valid is not issued`(notAfter: Timestamp) throws {
        let authority = try authority()
        let request = try CertificateSigningRequest(
            pem: CertificateSigningRequest.pem(commonName: "me", key: .generate())
        ).verified()

        expect(.malformed) { () throws(CryptoError) in
            try authority.issue(
                request,
                identity: identity,
                device: device,
                notBefore: Self.made,
                notAfter: notAfter
            )
        }
    }

    @Test(arguments: [Timestamp(seconds: 253_402_300_800), Timestamp(microseconds: .max)])
    func `A time that certificates cannot represent is rejected`(notAfter: Timestamp) {
        expect(.malformed) { () throws(CryptoError) in
            try CertificateAuthority.make(commonName: "CA", notBefore: Self.made, notAfter: notAfter)
        }
    }

    @Test func `Times after 2049 are supported`() throws {
        let end = try #require(Timestamp(rfc3339: "2099-12-31T23:59:59Z"))

        let authority = try CertificateAuthority.make(commonName: "CA", notBefore: Self.made, notAfter: end)

        #expect(try Certificate(pem: authority.certificate.pem).notAfter == end)
    }

    @Test func `An authority can be restored from PEM`() throws {
        let authority = try authority()
        let kept = try CertificateAuthority(
            keyPEM: authority.keyPEM(),
            certificatePEM: authority.certificate.pem
        )

        #expect(kept.certificate.der == authority.certificate.der)
        #expect(throws: Never.self) { try leaf(kept, key: .generate()) }
    }

    @Test func `Another authority's key and a certificate without signing permission are rejected`() throws {
        let authority = try authority()
        let other = try self.authority().keyPEM()
        let key = try SigningKey.generate()
        let leaf = try leaf(authority, key: key)

        expect(.mismatch) { () throws(CryptoError) in
            try CertificateAuthority(keyPEM: other, certificatePEM: authority.certificate.pem)
        }
        expect(.unsupported) { () throws(CryptoError) in
            try CertificateAuthority(keyPEM: key.pkcs8PEM(), certificatePEM: leaf.pem)
        }
    }

    @Test func `A certificate without CA and key usage extensions is rejected`()
        async throws
    {
        let openssl = try OpenSSLCommand()
        try openssl.write(SigningKey.generate().pkcs8PEM().exposed, to: "key.pem")
        try await openssl.run([
            "req", "-x509", "-new", "-key", "key.pem", "-subj", "/CN=other", "-out", "certificate.pem",
            "-addext", "basicConstraints=critical,CA:FALSE",
        ])
        let (key, certificate) = try (openssl.read("key.pem"), openssl.read("certificate.pem"))

        expect(.unsupported) { () throws(CryptoError) in
            try CertificateAuthority(keyPEM: Secret(key), certificatePEM: certificate)
        }
    }

    @Test func `Truncated PEM is rejected`() throws {
        let authority = try authority()
        let key = try authority.keyPEM()
        let pem = authority.certificate.pem

        for count in stride(from: 0, to: pem.utf8.count - 1, by: 7) {
            let text = String(decoding: pem.utf8.prefix(count), as: UTF8.self)
            expect(.malformed) { () throws(CryptoError) in
                try CertificateAuthority(keyPEM: key, certificatePEM: text)
            }
        }
    }
}
