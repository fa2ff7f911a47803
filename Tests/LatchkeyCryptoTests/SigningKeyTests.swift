import LatchkeyCrypto
import LatchkeyModel
import TestProcesses
import Testing

@Suite struct `Signing key` {
    private let message = Array("a message".utf8)

    @Test func `The public key verifies signatures in both formats`() throws {
        let key = try SigningKey.generate()

        for _ in 0..<200 {
            let signature = try key.signature(for: message)
            let raw = try key.rawSignature(for: message)

            #expect(key.publicKey.isValid(signature, for: message))
            #expect(raw.count == 64)
            #expect(key.publicKey.isValid(raw: raw, for: message))
        }
    }

    @Test func `A signature is not valid for another key or message`() throws {
        let key = try SigningKey.generate()
        let other = try SigningKey.generate()
        let signature = try key.signature(for: message)
        let raw = try key.rawSignature(for: message)

        #expect(!other.publicKey.isValid(signature, for: message))
        #expect(!key.publicKey.isValid(signature, for: message + [0]))
        #expect(!key.publicKey.isValid([], for: message))
        #expect(!key.publicKey.isValid(raw, for: message))
        #expect(!key.publicKey.isValid(raw: signature, for: message))
        #expect(!key.publicKey.isValid(raw: [UInt8](repeating: 0, count: 64), for: message))
        for bit in 0..<512 {
            var changed = raw
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(!key.publicKey.isValid(raw: changed, for: message))
        }
    }

    @Test func `The ES256 example in RFC 7515 can be verified`() throws {
        let key = try VerifyingKey(
            der: bytes("3059301306072a8648ce3d020106082a8648ce3d03010703420004")
                + #require(Base64URL.decode("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"))
                + #require(Base64URL.decode("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"))
        )
        let message =
            "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
        let signature = try #require(
            Base64URL.decode(
                "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
            )
        )

        #expect(key.isValid(raw: signature, for: Array(message.utf8)))
    }

    @Test func `A key can be restored from PKCS#8`() throws {
        let key = try SigningKey.generate()

        let fromDER = try SigningKey(pkcs8: key.pkcs8())
        let fromPEM = try SigningKey(pkcs8PEM: key.pkcs8PEM())

        #expect(fromDER.publicKey == key.publicKey)
        #expect(fromPEM.publicKey == key.publicKey)
        #expect(key.publicKey.isValid(try fromDER.signature(for: message), for: message))
        #expect(try VerifyingKey(der: key.publicKey.der) == key.publicKey)
    }

    @Test func `Truncated, changed or extended PKCS#8 is rejected`() throws {
        let der = try SigningKey.generate().pkcs8()

        for count in 0..<der.count {
            #expect(throws: CryptoError.self) { try SigningKey(pkcs8: Array(der.prefix(count))) }
        }
        #expect(throws: CryptoError.self) { try SigningKey(pkcs8: der + [0]) }
        // The last byte is part of the public key, and byte 40 is part of the private key.
        for index in [40, der.count - 1] {
            var changed = der
            changed[index] ^= 1
            #expect(throws: CryptoError.self) { try SigningKey(pkcs8: changed) }
        }
    }

    @Test(arguments: [
        ["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
        ["genpkey", "-algorithm", "ED25519"],
        ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"],
        ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:secp256k1"],
    ])
    func `Another kind of key is rejected`(arguments: [String]) async throws {
        let openssl = try OpenSSLCommand()
        try await openssl.run(arguments + ["-out", "key.pem"])
        let pem = Secret(try openssl.read("key.pem"))

        expect(.unsupported) { () throws(CryptoError) in try SigningKey(pkcs8PEM: pem) }
    }

    @Test func `Keys and signatures are interoperable with the openssl command`() async throws {
        let openssl = try OpenSSLCommand()
        try await openssl.run([
            "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", "key.pem",
        ])
        #expect(throws: Never.self) { try SigningKey(pkcs8PEM: Secret(openssl.read("key.pem"))) }

        let key = try SigningKey.generate()
        try openssl.write(key.pkcs8PEM().exposed, to: "ours.pem")
        let outcome = try await openssl.run(["pkey", "-in", "ours.pem", "-check", "-noout"])

        #expect(outcome.code == 0, "\(outcome.text)")
    }

    @Test func `Each key has a unique thumbprint`() throws {
        let key = try SigningKey.generate()

        #expect(key.publicKey.thumbprint == SHA256.hash(key.publicKey.der))
        #expect(try key.publicKey.thumbprint != SigningKey.generate().publicKey.thumbprint)
    }

    @Test func `Printing a private key does not reveal it`() throws {
        var dumped = ""
        dump(try SigningKey.generate(), to: &dumped)

        #expect(dumped == "- ‹key›\n")
    }
}
