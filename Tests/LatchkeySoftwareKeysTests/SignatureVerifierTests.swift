import LatchkeyCore
import LatchkeyModel
import LatchkeySoftwareKeys
import LatchkeyWire
import Testing

@Suite struct `Signature verifier` {
    /// An example from RFC 7515 with a key, a message and its signature.
    struct Example: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let jwk: String
        let message: String
        let signature: String
    }

    private static let payload =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

    static let examples = [
        Example(
            testDescription: "RFC 7515, appendix A.2 (RS256)",
            jwk: #"{"kty":"RSA","e":"AQAB","n":""# + modulus + #""}"#,
            message: "eyJhbGciOiJSUzI1NiJ9." + payload,
            signature: """
                cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5ju\
                jGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07\
                Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipU\
                TI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw
                """
        ),
        Example(
            testDescription: "RFC 7515, appendix A.3 (ES256)",
            jwk: """
                {"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",\
                "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
                """,
            message: "eyJhbGciOiJFUzI1NiJ9." + payload,
            signature:
                "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
        ),
    ]

    private static let modulus = """
        ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yR\
        T-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXB\
        dQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9ia\
        GNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ
        """

    private func key(_ jwk: String) throws -> SignatureKey? {
        SignatureKey(jwk: try JSONCoding.decode(JSONValue.self, from: Array(jwk.utf8)))
    }

    @Test(arguments: examples) func `Published examples are valid, and changing any bit makes them invalid`(
        example: Example
    ) throws {
        let key = try #require(try key(example.jwk))
        let message = Array(example.message.utf8)
        let signature = try #require(Base64URL.decode(example.signature))
        let verifier: any SignatureVerifier = SoftwareSignatureVerifier()

        #expect(verifier.isValid(signature, for: message, by: key))
        for byte in signature.indices {
            var changed = signature
            changed[byte] ^= 1
            #expect(!verifier.isValid(changed, for: message, by: key))
        }
        for byte in stride(from: 0, to: message.count, by: 7) {
            var changed = message
            changed[byte] ^= 0x80
            #expect(!verifier.isValid(signature, for: changed, by: key))
        }
        #expect(!verifier.isValid([], for: message, by: key))
        #expect(!verifier.isValid(signature + [0], for: message, by: key))
        #expect(!verifier.isValid(Array(signature.dropLast()), for: message, by: key))
    }

    @Test func `A signature made with a different algorithm is rejected`() throws {
        let keys = try Self.examples.compactMap { try key($0.jwk) }
        try #require(keys.count == 2)
        for (example, key) in zip(Self.examples, keys.reversed()) {
            let signature = try #require(Base64URL.decode(example.signature))
            #expect(
                !SoftwareSignatureVerifier().isValid(signature, for: Array(example.message.utf8), by: key)
            )
        }
    }

    @Test func `Keys that are too short, too long or not on the curve are rejected`() {
        let verifier = SoftwareSignatureVerifier()
        let (ones, sixtyFour) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 1, count: 64))
        let long = [UInt8](repeating: 0xFF, count: 1025)
        for key in [
            SignatureKey.es256(x: ones, y: ones), .es256(x: ones + [0], y: ones), .es256(x: [], y: []),
            .rs256(modulus: Array(long.prefix(255)), exponent: [1, 0, 1]),
            .rs256(modulus: long, exponent: [3]),
            .rs256(modulus: Array(long.prefix(256)), exponent: [1]),
            .rs256(modulus: Array(long.prefix(256)), exponent: [2]), .rs256(modulus: [], exponent: []),
        ] {
            #expect(!verifier.isValid(sixtyFour, for: [], by: key))
        }
    }

    @Test(arguments: [
        #"{"kty":"oct","k":"AAAA"}"#, #"{"kty":"EC","crv":"P-384","x":"AA","y":"AA"}"#,
        #"{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}"#, #"{"kty":"RSA","e":"AQAB"}"#,
        #"{"kty":"RSA","e":"AQAB","n":"AQAB"}"#, #"{"kty":"RSA","alg":"RS512","e":"AQAB","n":"AQAB"}"#,
        "[]", "{}",
    ]) func `A JSON Web Key of the wrong type or size is rejected`(jwk: String) throws {
        #expect(try key(jwk) == nil)
    }

    @Test(arguments: [#""use":"enc""#, #""alg":"PS256""#])
    func `A JSON Web Key intended for another purpose is rejected`(member: String) throws {
        let jwk = Self.examples[0].jwk
        #expect(try key(jwk) != nil)
        #expect(try key(jwk.replacing(#"{"kty""#, with: "{\(member),\"kty\"")) == nil)
    }
}
