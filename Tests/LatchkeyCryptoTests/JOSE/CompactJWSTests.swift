import LatchkeyCrypto
import LatchkeyModel
import Testing

@Suite struct `Compact JWS` {
    // The example in RFC 7515, appendix A.3.
    private static let example =
        "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"

    private func exampleKey() throws -> VerifyingKey {
        try VerifyingKey(
            x: #require(Base64URL.decode("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU")),
            y: #require(Base64URL.decode("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"))
        )
    }

    @Test func `The ES256 example in RFC 7515 can be parsed and verified`() throws {
        let jws = try #require(CompactJWS(Self.example))

        #expect(jws.header == Array(#"{"alg":"ES256"}"#.utf8))
        #expect(jws.payload.starts(with: Array(#"{"iss":"joe","#.utf8)))
        #expect(jws.isSigned(by: try exampleKey()))
        #expect(!jws.isSigned(by: try SigningKey.generate().publicKey))
    }

    @Test func `Changing any character of a JWS makes it invalid`() throws {
        let key = try exampleKey()
        let text = Array(Self.example.utf8)
        for place in text.indices where text[place] != UInt8(ascii: ".") {
            var changed = text
            changed[place] = changed[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let jws = CompactJWS(String(decoding: changed, as: UTF8.self))
            #expect(jws?.isSigned(by: key) != true)
        }
    }

    @Test func `A signature is only valid for the key that created it`() throws {
        let key = try SigningKey.generate()

        let text = try CompactJWS.sign([1, 2, 3], header: Array("{}".utf8), with: key)
        let jws = try #require(CompactJWS(text.exposed))

        #expect(jws.payload == [1, 2, 3])
        #expect(jws.header == Array("{}".utf8))
        #expect(jws.isSigned(by: key.publicKey))
    }

    @Test(arguments: [
        "", ".", "..", "e30", "e30.e30", "e30.e30.", ".e30.AAAA", "e30.e30.AAAA.AAAA", "e30=.e30.AAAA",
        "e30.e3 0.AAAA", "e30.e30.AAA+", "e30.e30.AAAAA",
    ]) func `Malformed text is rejected`(_ text: String) {
        #expect(CompactJWS(text) == nil)
    }
}
