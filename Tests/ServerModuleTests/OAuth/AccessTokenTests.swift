import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyOAuth
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Access tokens` {
    private let server: OAuthServer
    private let device: TokenDevice

    init() async throws {
        server = try await OAuthServer()
        device = try await TokenDevice(server)
    }

    private func json(_ bytes: [UInt8]) throws -> JSONValue {
        try JSONCoding.decode(JSONValue.self, from: bytes)
    }

    /// Returns a copy of a token with a different header or payload, signed with the server's key.
    private func forged(
        _ token: Secret,
        header: (String) -> String = { $0 },
        payload: (String) -> String = { $0 },
        key: SigningKey? = nil,
        by other: OAuthServer? = nil
    ) async throws -> Secret {
        let server = other ?? server
        let jws = try #require(CompactJWS(token.exposed))
        let signing = try await server.assembly.tokens.keys.signing(at: server.time.now)
        return try CompactJWS.sign(
            Array(payload(String(decoding: jws.payload, as: UTF8.self)).utf8),
            header: Array(header(String(decoding: jws.header, as: UTF8.self)).utf8),
            with: key.map { .es256($0) } ?? signing.key
        )
    }

    @Test func `A token contains the claims of RFC 9068`() async throws {
        let jws = try #require(CompactJWS(try await device.exchange().accessToken.exposed))
        let header = try json(jws.header)
        let claims = try json(jws.payload)
        let now = server.time.now.seconds

        #expect(header["typ"]?.text == "at+jwt")
        #expect(header["alg"]?.text == "ES256")
        #expect(claims["iss"]?.text == "https://id.example.com")
        #expect(claims["aud"]?.text == "https://id.example.com")
        #expect(claims["sub"]?.text == device.session.identityID.description)
        #expect(claims["sid"]?.text == device.session.id.description)
        #expect(claims["client_id"]?.text == "latchkey")
        #expect(claims["scope"]?.text?.split(separator: " ").count == 4)
        #expect(claims["iat"] == .integer(now))
        #expect(claims["exp"] == .integer(now + 600))
        #expect(claims["jti"]?.text?.count == 22)
    }

    @Test func `Operators can configure the audience and lifetime of access tokens`() async throws {
        let server = try await OAuthServer {
            $0.tokens.audience = "https://api.example.com"
            $0.tokens.accessLifespan = .seconds(60)
            $0.tokens.clientID = "shop"
            $0.tokens.refreshPrefix = "shop_"
        }
        let pair = try await TokenDevice(server).exchange()
        let claims = try json(#require(CompactJWS(pair.accessToken.exposed)).payload)

        #expect(claims["aud"]?.text == "https://api.example.com")
        #expect(claims["client_id"]?.text == "shop")
        #expect(claims["scope"] == nil)
        #expect(pair.expiresIn == 60)
        #expect(pair.refreshToken.exposed.hasPrefix("shop_"))
        #expect(await server.whoami(pair.accessToken).status == 200)
    }

    @Test func `A token for another audience isn't accepted for a scope, even if it contains the scope`()
        async throws
    {
        let server = try await OAuthServer { $0.tokens.audience = "https://api.example.com" }
        let token = try await TokenDevice(server).exchange().accessToken
        let own = try await device.exchange().accessToken
        let scoped = try await forged(
            token,
            payload: { $0.replacing(#""sid""#, with: #""scope":"\#(AccessScope.all)","sid""#) },
            by: server
        )
        #expect(await server.whoami(scoped).status == 200)

        #expect(await self.server.events(own).status == 200)
        for token in [token, scoped] {
            let answer = await server.events(token)
            #expect(answer.status == 401)
            #expect(answer.errorID == .sessionInactive)
        }
    }

    @Test func `A token authenticates requests in the same way as its session token`() async throws {
        let token = try await device.exchange().accessToken

        let answer = await server.whoami(token)

        #expect(answer.status == 200)
        #expect(answer["id"]?.text == device.session.id.description)
        #expect(await server.whoami(Secret(token.exposed + "A")).status == 401)
    }

    @Test func `A token expires after ten minutes`() async throws {
        let token = try await device.exchange().accessToken
        server.time.advance(by: .seconds(600) - .microseconds(1))
        #expect(await server.whoami(token).status == 200)
        server.time.advance(by: .microseconds(1))
        #expect(await server.whoami(token).status == 401)
    }

    @Test func `A token stays valid after its refresh token has been used`() async throws {
        let pair = try await device.exchange()
        _ = try await device.refresh(pair.refreshToken)

        #expect(await server.whoami(pair.accessToken).status == 200)
    }

    static let headers: [(from: String, to: String)] = [
        ("at+jwt", "jwt"), ("ES256", "none"), ("ES256", "HS256"), (#""kid":""#, #""kid":"x"#),
        (#""kid""#, #""kit""#), (#"{"typ""#, #"{"crit":["x"],"typ""#),
    ]

    static let payloads: [(from: String, to: String)] = [
        ("https://id.example.com\",\"sub", "https://other.example\",\"sub"),
        ("https://id.example.com\",\"exp", "https://other.example\",\"exp"),
        (#""exp""#, #""exb""#), (#""exp":1"#, #""exp":"#), (#""sid":""#, #""sid":"x"#),
        (#""sid""#, #""sit""#),
    ]

    @Test(arguments: headers) func `A token with an unexpected header is rejected`(from: String, to: String)
        async throws
    {
        let token = try await device.exchange().accessToken
        #expect(await server.whoami(try await forged(token)).status == 200)

        let wrong = try await forged(token, header: { $0.replacing(from, with: to) })

        #expect(wrong != token)
        #expect(await server.whoami(wrong).status == 401)
    }

    @Test(arguments: payloads) func `A token with unexpected claims is rejected`(from: String, to: String)
        async throws
    {
        let token = try await device.exchange().accessToken
        let text = String(decoding: try #require(CompactJWS(token.exposed)).payload, as: UTF8.self)
        try #require(text.contains(from))

        let wrong = try await forged(token, payload: { $0.replacing(from, with: to) })

        #expect(await server.whoami(wrong).status == 401)
    }

    @Test func `A token that was signed with another key is rejected`() async throws {
        let token = try await device.exchange().accessToken
        let wrong = try await forged(token, key: SigningKey.generate())

        #expect(await server.whoami(wrong).status == 401)
    }

    @Test func `A session token that contains dots isn't mistaken for an access token`() async throws {
        let server = try await OAuthServer { $0.sessions.tokenPrefix = "eyJ.b." }
        let opened = try await server.openSession(certifying: nil)
        #expect(await server.whoami(opened.token.secret).status == 200)
    }

    @Test func `Routes that change the account, such as certificate renewals, reject access tokens`()
        async throws
    {
        let server = try await TestServer()
        let client = try CertificateClient(server)
        let opened = try await server.openSession()
        #expect(try await client.enrol(opened).status == 200)
        var request = TokenRequest.exchange(sessionToken: opened.token.secret).httpRequest
        request.headers["DPoP"] = try DPoPProof(
            method: .post,
            url: TestServer.url + Route.token,
            id: "1",
            issuedAt: server.time.now
        ).signed(jwk: client.key.publicKey.jwk) { try client.key.rawSignature(for: $0) }
        let answer = try await client.transport.send(request, to: TestServer.url)
        let pair = try answer.decoded(TokenBody.self)

        let body = try JSONCoding.encode(CertificateBody.Request(csr: client.request()))
        #expect(try await client.put(body, token: pair.accessToken).status == 401)
        for (method, path) in [
            (HTTP.Method.get, "/a/self-service/settings/api"), (.get, "/a/sessions"),
            (.delete, "/a/sessions"), (.delete, "/a" + Route.account), (.get, "/a" + Route.accountExport),
        ] {
            let headers: HTTP.Headers = ["Authorization": "Bearer " + pair.accessToken.exposed]
            let refused = try await client.transport.send(
                HTTP.Request(method, path, headers: headers),
                to: TestServer.url
            )
            #expect(refused.status == 401)
        }
        #expect(try await client.put(body, token: opened.token.secret).status == 200)
        await server.stop()
    }
}
