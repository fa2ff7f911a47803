import LatchkeyCrypto
import LatchkeyModel
import TestProcesses
import Testing

@Suite struct `Certificate signing request` {
    @Test func `The openssl command verifies the signature of a request`() async throws {
        let key = try SigningKey.generate()
        let pem = try CertificateSigningRequest.pem(commonName: "device-1", key: key)
        let openssl = try OpenSSLCommand()
        try openssl.write(pem, to: "request.pem")

        let outcome = try await openssl.run(["req", "-in", "request.pem", "-verify", "-noout", "-subject"])

        #expect(outcome.code == 0)
        #expect(outcome.text.contains("verify OK"), "\(outcome.text)")
        #expect(outcome.text.contains("CN = device-1"), "\(outcome.text)")
        #expect(try CertificateSigningRequest(pem: pem).verified().publicKey == key.publicKey)
    }

    @Test(arguments: [
        ["EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
        ["EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-pkeyopt", "ec_param_enc:named_curve"],
    ])
    func `A request created by the openssl command is accepted`(algorithm: [String]) async throws {
        let pem = try await request(["genpkey", "-algorithm"] + algorithm)

        #expect(throws: Never.self) { try CertificateSigningRequest(pem: pem).verified() }
    }

    @Test(arguments: [
        ["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
        ["genpkey", "-algorithm", "ED25519"],
        ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"],
        ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:secp256k1"],
        [
            "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-pkeyopt",
            "ec_param_enc:explicit",
        ],
    ])
    func `A request for another kind of key is rejected`(keyCommand: [String]) async throws {
        let pem = try await request(keyCommand)

        expect(.unsupported) { () throws(CryptoError) in try CertificateSigningRequest(pem: pem) }
    }

    @Test func `A request that was signed with another hash is rejected`() async throws {
        let pem = try await request(
            ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
            options: ["-sha1"]
        )

        expect(.unsupported) { () throws(CryptoError) in try CertificateSigningRequest(pem: pem) }
    }

    @Test func `A request is rejected if any of its bytes has been changed`() throws {
        let key = try SigningKey.generate()
        let pem = try CertificateSigningRequest.pem(commonName: "device-1", key: key)
        let der = try #require(binary(of: pem))

        for index in der.indices {
            var changed = der
            changed[index] ^= 0x01
            let text = self.text(changed)
            #expect(throws: CryptoError.self, "byte \(index)") {
                try CertificateSigningRequest(pem: text).verified()
            }
        }
    }

    @Test func `A request with an unknown version is rejected before its signature is verified`() throws {
        var der = try #require(binary(of: CertificateSigningRequest.pem(commonName: "d", key: .generate())))
        let version = try #require(der.firstRange(of: [0x02, 0x01, 0x00])).upperBound - 1
        der[version] = 1
        let pem = text(der)

        expect(.malformed) { () throws(CryptoError) in try CertificateSigningRequest(pem: pem) }
    }

    @Test func `A request that was signed by another key is rejected`() throws {
        let mine = try #require(binary(of: CertificateSigningRequest.pem(commonName: "d", key: .generate())))
        let key = try SigningKey.generate()
        let theirs = try #require(binary(of: CertificateSigningRequest.pem(commonName: "d", key: key)))
        // Replace the public key, which is the 64 bytes after the tag of an uncompressed point.
        let point = try #require(mine.firstRange(of: [0x03, 0x42, 0x00, 0x04])).upperBound
        let swapped = text(Array(mine[..<point] + theirs[point..<point + 64] + mine[(point + 64)...]))

        let request = try CertificateSigningRequest(pem: swapped)

        expect(.mismatch) { () throws(CryptoError) in try request.verified() }
    }

    @Test func `A request that is truncated at any byte is rejected`() throws {
        let pem = try CertificateSigningRequest.pem(commonName: "device-1", key: .generate())
        let der = try #require(binary(of: pem))

        for count in 0..<der.count {
            let text = self.text(Array(der.prefix(count)))
            expect(.malformed) { () throws(CryptoError) in try CertificateSigningRequest(pem: text) }
        }
        for count in 0..<pem.utf8.count - 1 {
            let text = String(decoding: pem.utf8.prefix(count), as: UTF8.self)
            expect(.malformed) { () throws(CryptoError) in try CertificateSigningRequest(pem: text) }
        }
    }

    @Test func `Anything other than a single PEM block is rejected`() throws {
        let pem = try CertificateSigningRequest.pem(commonName: "device-1", key: .generate())
        let der = try #require(binary(of: pem))
        let texts = [
            "", "\n", "no request", pem + pem, "x" + pem, "note: 1\n" + pem, pem + "x", " " + pem,
            self.text(der + [0]),
            pem.replacing("-----BEGIN", with: "-----BEGIN "),
            pem.replacing("REQUEST", with: "REQUESTS"),
            pem.replacing("CERTIFICATE REQUEST", with: "CERTIFICATE"),
            "-----BEGIN CERTIFICATE REQUEST-----\n-----END CERTIFICATE REQUEST-----\n",
            "-----BEGIN CERTIFICATE REQUEST-----\n\n-----END CERTIFICATE REQUEST-----\n",
            "-----BEGIN CERTIFICATE REQUEST-----\n====\n-----END CERTIFICATE REQUEST-----\n",
            "-----BEGIN CERTIFICATE REQUEST-----\n\u{0}AAA\n-----END CERTIFICATE REQUEST-----\n",
            "-----BEGIN CERTIFICATE REQUEST-----\nÄÖÜß\n-----END CERTIFICATE REQUEST-----\n",
            pem + String(repeating: "\n", count: CertificateSigningRequest.byteLimit),
        ]

        for text in texts {
            expect(.malformed) { () throws(CryptoError) in try CertificateSigningRequest(pem: text) }
        }
    }

    @Test func `A PEM block in Base64url is rejected`() throws {
        var pem = ""
        while !pem.contains("+") {
            pem = try CertificateSigningRequest.pem(commonName: "device-1", key: .generate())
        }
        let text = pem.replacing("+", with: "-")

        expect(.malformed) { () throws(CryptoError) in try CertificateSigningRequest(pem: text) }
    }

    @Test func `Windows line endings and trailing empty lines are accepted`() throws {
        let pem = try CertificateSigningRequest.pem(commonName: "device-1", key: .generate())

        for text in [pem.replacing("\n", with: "\r\n"), String(pem.dropLast()), pem + "\n\r\n \n"] {
            #expect(throws: Never.self) { try CertificateSigningRequest(pem: text).verified() }
        }
    }

    @Test(arguments: ["", String(repeating: "x", count: 65)])
    func `An invalid common name is rejected`(name: String) throws {
        let key = try SigningKey.generate()

        expect(.malformed) { () throws(CryptoError) in
            try CertificateSigningRequest.pem(commonName: name, key: key)
        }
    }

    private func request(_ keyCommand: [String], options: [String] = []) async throws -> String {
        let openssl = try OpenSSLCommand()
        try await openssl.run(keyCommand + ["-out", "key.pem"])
        let made = try await openssl.run(
            ["req", "-new", "-key", "key.pem", "-subj", "/CN=other", "-out", "request.pem"] + options
        )
        #expect(made.code == 0, "\(made.text)")
        return try openssl.read("request.pem")
    }

    private func binary(of pem: String) -> [UInt8]? {
        let body = pem.split(separator: "\n").dropFirst().dropLast().joined()
        return Base64URL.decode(
            body.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        )
    }

    private func text(_ der: [UInt8]) -> String {
        var body = Base64URL.encode(der).replacing("-", with: "+").replacing("_", with: "/")
        while body.utf8.count % 4 != 0 { body += "=" }
        return "-----BEGIN CERTIFICATE REQUEST-----\n\(body)\n-----END CERTIFICATE REQUEST-----\n"
    }
}
