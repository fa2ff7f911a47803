import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Access tokens that are bound to a key` {
    private static let path = "/a" + Route.whoami

    private let server: OAuthServer
    private let device: TokenDevice

    init() async throws {
        server = try await OAuthServer()
        device = try await TokenDevice(server)
    }

    private func pair() async throws -> TokenBody {
        let request = TokenRequest.exchange(sessionToken: device.opened.token.secret)
        return try await device.send(request.httpRequest(for: .dpop)).pair()
    }

    /// Returns a request to whoami with a bound token and its proof.
    private func request(
        _ token: Secret,
        key: SigningKey? = nil,
        change: (inout DPoPProof) -> Void = { _ in }
    ) throws -> HTTP.Request {
        let key = key ?? device.key
        var proof = DPoPProof(
            method: .get,
            url: OAuthServer.url + Self.path,
            id: Identifier().description,
            issuedAt: server.time.now,
            accessTokenHash: SHA256.hash(Array(token.exposed.utf8))
        )
        change(&proof)
        return HTTP.Request(
            .get,
            Self.path,
            headers: [
                "Authorization": "DPoP " + token.exposed,
                DPoPProof.header: try proof.signed(jwk: key.publicKey.jwk) { try key.rawSignature(for: $0) },
            ]
        )
    }

    @Test func `Bound tokens are issued for exchanges and refreshes that ask for them`() async throws {
        let first = try await pair()
        let second = try await device.send(TokenRequest.refresh(first.refreshToken).httpRequest(for: .dpop))
            .pair()

        for pair in [first, second] {
            #expect(pair.tokenType == "DPoP")
            let claims = try JSONCoding.decode(
                JSONValue.self,
                from: #require(CompactJWS(pair.accessToken.exposed)).payload
            )
            #expect(
                claims["cnf"]?["jkt"]?.text == Base64URL.encode(device.key.publicKey.jwkThumbprint)
            )
            #expect(await server.send(try request(pair.accessToken)).status == 200)
        }
    }

    @Test func `Bound tokens are only issued on request`() async throws {
        let first = try await device.exchange()
        let bound = try await device.send(TokenRequest.refresh(first.refreshToken).httpRequest(for: .dpop))
            .pair()
        let third = try await device.refresh(bound.refreshToken)

        #expect([first, bound, third].map(\.tokenType) == ["Bearer", "DPoP", "Bearer"])
        #expect(await server.whoami(third.accessToken).status == 200)
    }

    @Test func `An unknown token type is rejected`() async throws {
        var request = TokenRequest.exchange(sessionToken: device.opened.token.secret).httpRequest
        request.body += Array("&token_type=mac".utf8)

        #expect(try await device.send(request).refusal == .invalidRequest)
    }

    @Test func `A bound token is rejected as a bearer token and as a session token`() async throws {
        let token = try await pair().accessToken

        let bearer = await server.whoami(token)
        #expect(bearer.status == 401)
        #expect(bearer["error"]?["id"]?.text == "invalid_dpop_proof")
        #expect(bearer.response.headers["WWW-Authenticate"]?.contains(#"error="invalid_token""#) == true)
        for header in ["Authorization", "X-Session-Token"] {
            var request = try request(token)
            request.headers["Authorization"] = nil
            request.headers[header] = (header == "Authorization" ? "Bearer " : "") + token.exposed
            #expect(await server.send(request).status == 401)
        }
    }

    static let changes: [(name: String, change: @Sendable (inout DPoPProof) -> Void)] = [
        ("method", { $0.method = .post }),
        ("host", { $0.url = "https://other.example/a/sessions/whoami" }),
        ("path", { $0.url = "https://id.example.com/oauth2/token" }),
        ("missing hash", { $0.accessTokenHash = nil }),
        ("other hash", { $0.accessTokenHash = SHA256.hash(Array("other".utf8)) }),
    ]

    @Test(arguments: changes.map(\.name))
    func `A bound token is rejected if the proof was made for another request`(name: String)
        async throws
    {
        let change = try #require(Self.changes.first { $0.name == name }).change
        let answer = await server.send(try request(try await pair().accessToken, change: change))

        #expect(answer.status == 401)
        #expect(answer["error"]?["id"]?.text == "invalid_dpop_proof")
    }

    @Test func `A bound token is rejected without a proof, with another key's proof or with two tokens`()
        async throws
    {
        let token = try await pair().accessToken

        var without = try request(token)
        without.headers[DPoPProof.header] = nil
        #expect(await server.send(without).status == 401)
        #expect(await server.send(try request(token, key: SigningKey.generate())).status == 401)
        var twice = try request(token)
        twice.headers.fields.append(HTTP.Headers.Field(name: "Authorization", value: "Bearer x"))
        #expect(await server.send(twice).status == 401)
        #expect(await server.send(try request(token)).status == 200)
    }

    @Test func `A bound token is rejected if the proof has already been used`() async throws {
        let request = try request(try await pair().accessToken)

        #expect(await server.send(request).status == 200)
        let copy = await server.send(request)
        #expect(copy.status == 401)
        #expect(copy["error"]?["id"]?.text == "use_dpop_nonce")
    }

    @Test func `A device whose clock is wrong can use a nonce from the server instead`() async throws {
        let token = try await pair().accessToken
        let challenge = await server.send(try request(token) { $0.issuedAt = Timestamp(seconds: 0) })

        #expect(challenge.status == 401)
        #expect(
            challenge.response.headers["WWW-Authenticate"] == #"DPoP error="use_dpop_nonce", algs="ES256""#
        )
        let nonce = try #require(challenge.response.headers[DPoPProof.nonceHeader])
        let answer = await server.send(
            try request(token) {
                $0.issuedAt = Timestamp(seconds: 0)
                $0.nonce = nonce
            }
        )
        #expect(answer.status == 200)
    }

    @Test func `A bound token is rejected as soon as its session has ended`() async throws {
        let token = try await pair().accessToken
        #expect(await server.logOut(device.opened.token.secret).status == 204)

        #expect(await server.send(try request(token)).status == 401)
    }

    @Test func `A bearer token can't be used with the DPoP scheme`() async throws {
        let bearer = try await device.exchange().accessToken

        #expect(await server.send(try request(bearer)).status == 401)
    }
}
