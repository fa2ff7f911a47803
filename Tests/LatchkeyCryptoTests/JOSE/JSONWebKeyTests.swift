import LatchkeyCrypto
import LatchkeyModel
import Testing

@Suite struct `JSON Web Key` {
    // The key and thumbprint from the examples in RFC 9449, section 4.1 and section 6.1.
    private static let x = "l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs"
    private static let y = "9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA"

    @Test func `The thumbprint matches the example in RFC 9449`() throws {
        let key = try VerifyingKey(
            x: #require(Base64URL.decode(Self.x)),
            y: #require(Base64URL.decode(Self.y))
        )

        #expect(Base64URL.encode(key.jwkThumbprint) == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
        #expect(key.jwk == #"{"crv":"P-256","kty":"EC","x":"\#(Self.x)","y":"\#(Self.y)"}"#)
    }

    @Test func `The thumbprint matches the example in RFC 7638`() throws {
        // These are the members of the RFC's key in canonical form. It is an RSA key, so this only tests the
        // hash, which is computed in the same way for all kinds of keys.
        let canonical =
            #"{"e":"AQAB","kty":"RSA","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw"}"#

        #expect(
            Base64URL.encode(SHA256.hash(Array(canonical.utf8)))
                == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"
        )
    }

    @Test func `A key can be restored from its coordinates`() throws {
        let key = try SigningKey.generate().publicKey
        let members = key.jwk.split(separator: "\"").map(String.init)

        let read = try VerifyingKey(
            x: #require(Base64URL.decode(members[11])),
            y: #require(Base64URL.decode(members[15]))
        )

        #expect(read == key)
        #expect(read.jwkThumbprint == key.jwkThumbprint)
    }

    @Test(arguments: [
        ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 32)),
        ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 1, count: 32)),
        ([UInt8](repeating: 0xFF, count: 32), [UInt8](repeating: 0xFF, count: 32)),
        ([], []), ([UInt8](repeating: 1, count: 31), [UInt8](repeating: 1, count: 33)),
    ]) func `A point that is not on the curve is rejected`(x: [UInt8], y: [UInt8]) {
        #expect(throws: CryptoError.self) { try VerifyingKey(x: x, y: y) }
    }
}
