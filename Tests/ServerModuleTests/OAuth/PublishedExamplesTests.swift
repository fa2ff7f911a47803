import LatchkeyCrypto
import LatchkeyModel
import LatchkeyWire
import Testing

@testable import LatchkeyAccounts

@Suite struct `Examples from the RFCs` {
    /// The example from RFC 9449, section 4.1.
    private static let proof =
        "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19.eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg"

    @Test func `The example proof is parsed as described in RFC 9449`() throws {
        let proof = try PresentedProof(HTTP.Request(.post, "/token", headers: ["DPoP": Self.proof]))

        #expect(proof.method == "POST")
        #expect(proof.url == "https://server.example.com/token")
        #expect(proof.issuedAt == Timestamp(seconds: 1_562_262_616))
        #expect(proof.nonce == nil)
        #expect(Base64URL.encode(proof.key.jwkThumbprint) == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
    }

    /// The examples from RFC 6749, section 6, and RFC 8693, section 2.3.
    ///
    /// The second example also appears without its resource parameter, which refers to a different server.
    static let requests: [(body: String, code: OAuthErrorBody.Code)] = [
        ("grant_type=refresh_token&refresh_token=tGzv3JOkF0XG5Qx2TlKWIA", .invalidGrant),
        (
            "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange"
                + "&resource=https%3A%2F%2Fbackend.example.com%2Fapi"
                + "&subject_token=accVkjcJyb4BWCxGsndESCJQbdFMogUC5PbRDqceLTC"
                + "&subject_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aaccess_token",
            .invalidTarget
        ),
        (
            "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange"
                + "&subject_token=accVkjcJyb4BWCxGsndESCJQbdFMogUC5PbRDqceLTC"
                + "&subject_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aaccess_token",
            .invalidRequest
        ),
        ("grant_type=password&username=johndoe&password=A3ddj3w", .unsupportedGrantType),
    ]

    @Test(arguments: requests)
    func `Example requests are parsed, and errors have the format defined in RFC 6749`(
        body: String,
        code: OAuthErrorBody.Code
    )
        async throws
    {
        let device = try await TokenDevice(OAuthServer())
        var request = HTTP.Request(.post, Route.token, body: Array(body.utf8))
        request.headers["Content-Type"] = "application/x-www-form-urlencoded"

        let answer = try await device.send(request)

        #expect(answer.status == 400)
        #expect(answer.response.headers["Content-Type"]?.hasPrefix("application/json") == true)
        #expect(answer["error"]?.text == code.rawValue)
    }

    /// According to RFC 7009, section 2.1, an unknown token isn't an error.
    @Test func `Revoking the example token doesn't return an error`() async throws {
        let body = "token=45ghiukldjahdnhzdauz&token_type_hint=refresh_token"
        var request = HTTP.Request(.post, Route.revocation, body: Array(body.utf8))
        request.headers["Content-Type"] = "application/x-www-form-urlencoded"

        let answer = try await OAuthServer().send(request)

        #expect(answer.status == 200)
        #expect(answer.response.body == RevocationBody.json)
    }
}
