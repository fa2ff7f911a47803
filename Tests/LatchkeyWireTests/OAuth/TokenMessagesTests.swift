import LatchkeyModel
import LatchkeyWire
import Testing

@Suite struct `Token endpoint messages` {
    @Test func `A token exchange request is encoded as a form`() {
        let request = TokenRequest.exchange(sessionToken: "lk_st_a+b&c").httpRequest

        #expect(request.method == .post)
        #expect(request.path == "/oauth2/token")
        #expect(request.headers["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(
            String(decoding: request.body, as: UTF8.self)
                == "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange"
                + "&subject_token=lk_st_a%2Bb%26c"
                + "&subject_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aaccess_token"
        )
    }

    @Test func `Refresh and revocation requests are encoded as forms`() {
        #expect(
            String(decoding: TokenRequest.refresh("lk_rt_x").httpRequest.body, as: UTF8.self)
                == "grant_type=refresh_token&refresh_token=lk_rt_x"
        )
        let revocation = RevocationRequest(token: "lk_rt_x").httpRequest
        #expect(revocation.path == "/oauth2/revoke")
        #expect(String(decoding: revocation.body, as: UTF8.self) == "token=lk_rt_x")
    }

    @Test func `A decoded token pair is masked when printed`() throws {
        let sent = TokenBody(
            accessToken: "a.b.c",
            expiresIn: 600,
            refreshToken: "lk_rt_1",
            issuedTokenType: TokenType.accessToken.rawValue
        )

        let read = try JSONCoding.decode(TokenBody.self, from: sent.json)

        #expect(read.accessToken == "a.b.c")
        #expect(read.refreshToken == "lk_rt_1")
        #expect(read.tokenType == "Bearer")
        #expect(read.expiresIn == 600)
        #expect(read.issuedTokenType == TokenType.accessToken.rawValue)
        #expect(!"\(read)".contains("a.b.c"))
        #expect(!"\(read)".contains("lk_rt_1"))
    }

    @Test func `A decoded error contains its code`() throws {
        let sent = OAuthErrorBody(error: .useDPoPNonce, errorDescription: "Say \"when\".")

        let read = try JSONCoding.decode(OAuthErrorBody.self, from: sent.json)

        #expect(read.error == .useDPoPNonce)
        #expect(read.errorDescription == "Say \"when\".")
    }
}
