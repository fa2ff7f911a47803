import LatchkeyModel
import LatchkeyWire
import Testing

@Suite struct `DPoP proof format` {
    // The key and the proof are taken from the example in RFC 9449, section 4.1.
    private static let jwk =
        #"{"kty":"EC","x":"l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs","y":"9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA","crv":"P-256"}"#
    private static let example =
        "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19.eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ"

    @Test func `A proof matches the example in RFC 9449`() {
        let proof = DPoPProof(
            method: .post,
            url: "https://server.example.com/token",
            id: "-BwC3ESc6acc2lTc",
            issuedAt: Timestamp(seconds: 1_562_262_616)
        )

        let signed = proof.signed(jwk: Self.jwk) { input in
            #expect(input == Array(Self.example.utf8))
            return [0xFB, 0xFF]
        }

        #expect(signed == Self.example + ".-_8")
    }

    @Test func `A proof contains the server's nonce and the access token's hash`() throws {
        let proof = DPoPProof(
            method: .get,
            url: "https://api.example.com/me",
            id: "x",
            issuedAt: Timestamp(seconds: 1),
            nonce: "n-1",
            accessTokenHash: [1, 2, 3]
        )

        let parts = proof.signed(jwk: Self.jwk) { _ in [] }.split(
            separator: ".",
            omittingEmptySubsequences: false
        )
        let payload = try JSONCoding.decode(JSONValue.self, from: #require(Base64URL.decode(parts[1])))

        #expect(payload["nonce"]?.text == "n-1")
        #expect(payload["ath"]?.text == "AQID")
        #expect(payload["htm"]?.text == "GET")
    }
}
