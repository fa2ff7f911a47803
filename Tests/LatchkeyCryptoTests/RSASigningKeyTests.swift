import LatchkeyCrypto
import LatchkeyModel
import TestProcesses
import Testing

@Suite struct `RSA signing key` {
    /// The private key in RFC 7515, appendix A.2, as PKCS#8.
    private static let example = """
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCh-BYK4uPJtGXOjS1lYmM2K5J9vinh8CR3_BYlzJChNuOL2TSX\
        xbbqY913EeZ8dCn5VrD7io8ImtxLaYk8wTM_U-3QGbh3hCUv7JFP5IV3aVlL6kKA0ywPVb9ilE8TA5a8bpvfbr3SvaNnjuygxmj3\
        AbONv_s4yDQs4v5tJ_reSlpIdJed1LnPmt7Ex1sFhSwsD174pcF1A5L5ROjtZMEQxrZHYJqkeDrrnGya11UxMFBji4NmXG9veoKj\
        lnAqH2QbgtPr8jkiGUkftoaHLFcW9Qr4NY2ai50Xw0Byj3-H2JoY2PyrZ62EWQwuz3WTOTY8BwNNb2BvniHgVFbK5emhAgMBAAEC\
        ggEAEq5xpGnNCivDflJsRQBXHx1hdR1k6Ulwe2JZD50LpXyWPEAeP88vLNO97IjlA7_GQ5sLKMgvfTeXZx9SE-7YwVol2NXOoAJe\
        46sui395IW_GO-pWJ1O0BkTGoVEn2bKVRUCgu-GjBVaYLU6f3l9kJfFNS3E0QbVdxzubSu3Mkqzjkn439X0M_V51gfpRLI9JYanr\
        C4D4qAdGcopV_0ZHHzQlBjudU2QvXt4ehNYTCBr6XCLQUShb1juUO1ZdiYoFaFQT5Tw8bGUl_x_jTj3ccPDVZFD9pIuhLhBOneuf\
        uBiB4cS98l2SR_RQyGWSeWjnczT0QU91p1DhOVRuOopznQKBgQDgHMQQ60imZV1URk0KpLttoLhyt3SmqdEf_kgHePDdtzEafpAu\
        -cS191R2JiuoF2yzWXnwFDcqGigp5BNr0AHQfD8_Lk8l1Mk09jxxCfui5nYooNyac8YFjm3vItzVCVDnEd3BbVWG8qf6deqElMGA\
        g-C2V0L4oNXnP7LZcPAZRwKBgQC5A8R-CZW2MvRTLLHzwZkUXV866cff7tx6kqa0finGG0KgeqlaZPxgCZnFp7AeAcCMtiynVlJ7\
        vMVgePsLq6XtON4tB5kP9jAPrq3rbAOal78eUH5OcED6eNuCV8ixEu1eWcPNCS_l1OW1EnXUEoEHKl54Xrrz2uNwkgMTP1FZ1wKB\
        gAcCn1dwJKufzBWQxWQp1vsM5fggqPN1qGb5y0MAk3g7_Ls5bkUp5u9SN0Ai3Ya6hNnvWJMb7sXQX6U_zyO2M_hTip7tUeh7CXgw\
        o59dkpN75gJLVds29-DAncu3KXU4f2Fa-7bLNrur53k8KwPOq2bbuTG69QtV7Jr5MR0AHWKNAoGBAIf_evpitUf-4JYbLpvNXWcY\
        052Mpz22aR84mY3nh3F2LF2mjMJDpTg7FmuyPcVw6EcGyoAe9fa65iNqCq-jdw6PVNGo2hxfjSiZ8IIzHdsPXI89__pMjZcQK9r-\
        CCoRjaZjOYiIDktVWZzmevJuv6WywUqd57LE3Zar3dLSIkx1AoGAIYd7DHOhrWvxkwPQsRM2tOgrjbcrfvtQJipd-DlcxyVuuM9s\
        QLdgjVk2oy26F0EmpScGLq2MowX7fhd_QJQ3ydy5cY7YIBi87w93IKLEdfnbJtoOPLUW0ITrJReOgo1cq9SbsxYawBgfp_gh6A56\
        03k2-ZQwVK0JKSHuLFkuQ3U
        """

    private static let signature = """
        cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5ju\
        jGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07\
        Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipU\
        TI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw
        """

    private static let payload =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

    private let message = Array("a message".utf8)

    private func exampleKey() throws -> RSASigningKey {
        try RSASigningKey(pkcs8: #require(Base64URL.decode(Self.example)))
    }

    @Test func `The key in RFC 7515 creates the signature in RFC 7515`() throws {
        let key = try exampleKey()

        let token = try CompactJWS.sign(
            #require(Base64URL.decode(Self.payload)),
            header: Array(#"{"alg":"RS256"}"#.utf8),
            with: .rs256(key)
        )

        #expect(token.exposed == "eyJhbGciOiJSUzI1NiJ9.\(Self.payload).\(Self.signature)")
        let jws = try #require(CompactJWS(token.exposed))
        #expect(jws.isSigned(by: .rs256(key.publicKey)))
        #expect(try !jws.isSigned(by: .rs256(RSASigningKey.generate().publicKey)))
    }

    @Test func `The thumbprint matches the example in RFC 7638`() throws {
        let modulus = """
            0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjB\
            ZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8\
            KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_\
            xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw
            """
        let key = try RSAVerifyingKey(
            modulus: #require(Base64URL.decode(modulus)),
            exponent: #require(Base64URL.decode("AQAB"))
        )

        #expect(
            Base64URL.encode(JWSVerifyingKey.rs256(key).jwkThumbprint)
                == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"
        )
    }

    @Test func `A signature is only valid for its key, its message and all of its bits`() throws {
        let key = try RSASigningKey.generate()
        let signature = try key.signature(for: message)

        #expect(signature.count == 256)
        #expect(key.publicKey.isValid(signature, for: message))
        #expect(!key.publicKey.isValid(signature, for: message + [0]))
        #expect(try !exampleKey().publicKey.isValid(signature, for: message))
        for other in [[], Array(signature.dropLast()), signature + [0], [0] + signature] {
            #expect(!key.publicKey.isValid(other, for: message))
        }
        for bit in 0..<2048 {
            var changed = signature
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(!key.publicKey.isValid(changed, for: message))
        }
    }

    @Test func `A key can be restored from its encodings`() throws {
        let key = try RSASigningKey.generate()

        #expect(try RSASigningKey(pkcs8: key.pkcs8()).publicKey == key.publicKey)
        let read = try RSAVerifyingKey(der: key.publicKey.der)
        #expect(read == key.publicKey)
        #expect(read.jwk == key.publicKey.jwk)
        #expect(read.modulus.count == 256)
        #expect(read.exponent == [1, 0, 1])
        let padded = try RSAVerifyingKey(modulus: [0] + read.modulus, exponent: [0, 0] + read.exponent)
        #expect(padded == read)
        #expect(padded.jwk == read.jwk)
    }

    @Test func `Truncated, changed or extended encodings are rejected`() throws {
        let key = try exampleKey()
        let (der, publicDER) = (try key.pkcs8(), key.publicKey.der)

        for count in 0..<der.count {
            #expect(throws: CryptoError.self) { try RSASigningKey(pkcs8: Array(der.prefix(count))) }
        }
        #expect(throws: CryptoError.self) { try RSASigningKey(pkcs8: der + [0]) }
        // The byte belongs to the modulus. OpenSSL compensates for a single private number that is wrong.
        var changed = der
        changed[100] ^= 2
        #expect(throws: CryptoError.self) { try RSASigningKey(pkcs8: changed) }
        for count in 0..<publicDER.count {
            #expect(throws: CryptoError.self) { try RSAVerifyingKey(der: Array(publicDER.prefix(count))) }
        }
        #expect(throws: CryptoError.self) { try RSAVerifyingKey(der: publicDER + [0]) }
    }

    @Test(arguments: [
        ["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024"],
        ["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:3072"],
        ["genpkey", "-algorithm", "RSA-PSS", "-pkeyopt", "rsa_keygen_bits:2048"],
        ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
    ])
    func `A key of another kind or length is rejected`(arguments: [String]) async throws {
        let openssl = try OpenSSLCommand()
        try await openssl.run(arguments + ["-out", "key.pem"])
        let lines = try openssl.read("key.pem").split(separator: "\n").filter { !$0.hasPrefix("-") }
        let text = lines.joined().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        let der = try #require(Base64URL.decode(text))

        expect(.unsupported) { () throws(CryptoError) in try RSASigningKey(pkcs8: der) }
    }

    @Test func `Neither kind of key is read as the other`() throws {
        let (ec, rsa) = (try SigningKey.generate(), try exampleKey())

        #expect(throws: CryptoError.self) { try JWSSigningKey(pkcs8: ec.pkcs8(), algorithm: .rs256) }
        #expect(throws: CryptoError.self) { try JWSSigningKey(pkcs8: rsa.pkcs8(), algorithm: .es256) }
        #expect(throws: CryptoError.self) { try JWSVerifyingKey(der: ec.publicKey.der, algorithm: .rs256) }
        #expect(throws: CryptoError.self) { try JWSVerifyingKey(der: rsa.publicKey.der, algorithm: .es256) }
    }

    @Test func `Printing a private key does not reveal it`() throws {
        var dumped = ""
        dump(try exampleKey(), to: &dumped)

        #expect(dumped == "- ‹key›\n")
    }
}
