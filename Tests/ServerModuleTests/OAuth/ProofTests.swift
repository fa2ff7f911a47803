import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

/// Most of these tests use a proof that differs from a valid one in a single respect.
@Suite(.onEachDatabase) struct `DPoP proofs` {
    private let server: OAuthServer
    private let device: TokenDevice
    private let pair: TokenBody

    init() async throws {
        server = try await OAuthServer()
        device = try await TokenDevice(server)
        pair = try await device.exchange()
    }

    private func refresh(_ proof: String?) async throws -> Answer {
        var request = TokenRequest.refresh(pair.refreshToken).httpRequest
        request.headers["DPoP"] = proof
        return await server.send(request)
    }

    /// Returns a proof with the given header and payload that is signed by the device.
    private func proof(header: String? = nil, payload: String? = nil) throws -> String {
        let now = server.time.now.seconds
        let header =
            header?.replacing("JWK", with: device.key.publicKey.jwk)
            ?? #"{"typ":"dpop+jwt","alg":"ES256","jwk":\#(device.key.publicKey.jwk)}"#
        let payload =
            payload?.replacing("NOW", with: String(now))
            ?? #"{"jti":"1","htm":"POST","htu":"https://id.example.com/oauth2/token","iat":\#(now)}"#
        return try CompactJWS.sign(Array(payload.utf8), header: Array(header.utf8), with: device.key).exposed
    }

    static let headers = [
        #"{"typ":"jwt","alg":"ES256","jwk":JWK}"#,
        #"{"alg":"ES256","jwk":JWK}"#,
        #"{"typ":"dpop+jwt","jwk":JWK}"#,
        #"{"typ":"dpop+jwt","alg":"none","jwk":JWK}"#,
        #"{"typ":"dpop+jwt","alg":"HS256","jwk":JWK}"#,
        #"{"typ":"dpop+jwt","alg":"RS256","jwk":JWK}"#,
        #"{"typ":"dpop+jwt","alg":"ES256"}"#,
        #"{"typ":"dpop+jwt","alg":"ES256","jwk":{}}"#,
        #"{"typ":"dpop+jwt","alg":"ES256","jwk":"JWK"}"#,
        #"{"typ":"dpop+jwt","alg":"ES256","jwk":JWK,"crit":["x"]}"#,
        #"{"typ":"dpop+jwt","alg":"ES256","alg":"ES256","jwk":JWK}"#,
        #"{"typ":"dpop+jwt","alg":"ES256","jwk":{"kty":"RSA","n":"AQAB","e":"AQAB"}}"#,
        #"{"typ":"dpop+jwt","alg":"ES256","jwk":{"kty":"EC","crv":"P-256","x":"AQ","y":"AQ"}}"#,
        "[]", "x",
    ]

    static let payloads = [
        #"{"htm":"POST","htu":"https://id.example.com/oauth2/token","iat":NOW}"#,
        #"{"jti":"","htm":"POST","htu":"https://id.example.com/oauth2/token","iat":NOW}"#,
        #"{"jti":"1","htu":"https://id.example.com/oauth2/token","iat":NOW}"#,
        #"{"jti":"1","htm":"GET","htu":"https://id.example.com/oauth2/token","iat":NOW}"#,
        #"{"jti":"1","htm":"post","htu":"https://id.example.com/oauth2/token","iat":NOW}"#,
        #"{"jti":"1","htm":"POST","iat":NOW}"#,
        #"{"jti":"1","htm":"POST","htu":"","iat":NOW}"#,
        #"{"jti":"1","htm":"POST","htu":"/oauth2/token","iat":NOW}"#,
        #"{"jti":"1","htm":"POST","htu":"https://id.example.com","iat":NOW}"#,
        #"{"jti":"1","htm":"POST","htu":"https://id.example.com/oauth2/revoke","iat":NOW}"#,
        #"{"jti":"1","htm":"POST","htu":"https://id.example.com/OAUTH2/token","iat":NOW}"#,
        #"{"jti":"1","htm":"POST","htu":"http://id.example.com/oauth2/token","iat":NOW}"#,
        #"{"jti":"1","htm":"POST","htu":"https://id.example.com:8443/oauth2/token","iat":NOW}"#,
        #"{"jti":"1","htm":"POST","htu":"https://other.example/oauth2/token","iat":NOW}"#,
        #"{"jti":"1","jti":"1","htm":"POST","htu":"https://id.example.com/oauth2/token","iat":NOW}"#,
        "[]", "x", "",
    ]

    @Test(arguments: headers) func `A proof must have the right type and contain its key`(header: String)
        async throws
    {
        #expect(try await refresh(proof(header: header)).refusal == .invalidDPoPProof)
        _ = try await refresh(proof()).pair()
    }

    @Test(arguments: payloads) func `A proof is only valid for the method and URL that it contains`(
        payload: String
    )
        async throws
    {
        #expect(try await refresh(proof(payload: payload)).refusal == .invalidDPoPProof)
        _ = try await refresh(proof()).pair()
    }

    @Test(arguments: [
        "https://id.example.com/oauth2/token?x=1#y", "HTTPS://ID.EXAMPLE.COM/oauth2/token",
        "https://id.example.com:443/oauth2/token",
    ]) func `Equivalent spellings of the URL are accepted`(url: String) async throws {
        _ = try await refresh(device.proof { $0.url = url }).pair()
    }

    @Test func `The proof must be sent in a single, complete header field`() async throws {
        let good = try proof()
        #expect(try await refresh(nil).refusal == .invalidDPoPProof)
        for wrong in ["", "x", good + ".", good + "A", String(good.dropLast(4)), good + "," + good] {
            #expect(try await refresh(wrong).refusal == .invalidDPoPProof)
        }
        var twice = TokenRequest.refresh(pair.refreshToken).httpRequest
        twice.headers.fields += ["DPoP", "dpop"].map { HTTP.Headers.Field(name: $0, value: good) }
        #expect(await server.send(twice).refusal == .invalidDPoPProof)
        #expect(try await server.used(device.session) == 0)
    }

    @Test(arguments: [(4000, true), (6200, false)])
    func `A proof can have at most 8 KiB`(length: Int, isTaken: Bool) async throws {
        let answer = try await refresh(device.proof { $0.nonce = String(repeating: "n", count: length) })

        if isTaken { _ = try answer.pair() } else { #expect(answer.refusal == .invalidDPoPProof) }
    }

    @Test func `A proof must be signed with the key in its header`() async throws {
        let other = try SigningKey.generate()
        let forged = try DPoPProof(
            method: .post,
            url: OAuthServer.url + Route.token,
            id: "1",
            issuedAt: server.time.now
        ).signed(jwk: device.key.publicKey.jwk) { try other.rawSignature(for: $0) }

        #expect(try await refresh(forged).refusal == .invalidDPoPProof)
    }

    @Test func `A proof that contains a private key is rejected`() async throws {
        let jwk = device.key.publicKey.jwk.dropLast() + #","d":"AQ"}"#
        let header = #"{"typ":"dpop+jwt","alg":"ES256","jwk":\#(jwk)}"#

        #expect(try await refresh(proof(header: header)).refusal == .invalidDPoPProof)
    }

    @Test(arguments: [(-60, true), (-61, false), (60, true), (61, false), (-86_400 * 365 * 20, false)])
    func `A proof must have been issued within a minute of the server's time`(offset: Int, isTaken: Bool)
        async throws
    {
        let answer = try await refresh(
            device.proof { $0.issuedAt = server.time.now + .seconds(offset) }
        )

        if isTaken {
            _ = try answer.pair()
        } else {
            #expect(answer.status == 400)
            #expect(answer.refusal == .useDPoPNonce)
            #expect(try await server.used(device.session) == 0)
        }
    }

    @Test(arguments: [
        #"{"jti":"1","htm":"POST","htu":"https://id.example.com/oauth2/token"}"#,
        #"{"jti":"1","htm":"POST","htu":"https://id.example.com/oauth2/token","iat":"NOW"}"#,
        #"{"jti":"1","htm":"POST","htu":"https://id.example.com/oauth2/token","iat":1e300}"#,
    ]) func `The response to a proof without a valid time contains a nonce`(payload: String) async throws {
        #expect(try await refresh(proof(payload: payload)).refusal == .useDPoPNonce)
    }

    @Test func `The time of a proof doesn't matter if it contains a nonce from the server`() async throws {
        let wrongClock = Timestamp(seconds: 5)
        let first = try await refresh(device.proof { $0.issuedAt = wrongClock })
        #expect(first.refusal == .useDPoPNonce)
        let nonce = try #require(first.response.headers["DPoP-Nonce"])

        server.time.advance(by: .seconds(300) - .microseconds(1))
        let second = try await refresh(
            device.proof {
                $0.issuedAt = wrongClock
                $0.nonce = nonce
            }
        )
        _ = try second.pair()

        server.time.advance(by: .microseconds(1))
        let third = try await refresh(
            device.proof {
                $0.issuedAt = wrongClock
                $0.nonce = nonce
            }
        )
        #expect(third.refusal == .useDPoPNonce)
        let fresh = try #require(third.response.headers["DPoP-Nonce"])
        let last = try await refresh(
            device.proof {
                $0.issuedAt = wrongClock
                $0.nonce = fresh
            }
        )
        _ = try last.pair()
    }

    @Test func `A proof that arrives minutes late isn't treated as evidence of theft`() async throws {
        let held = try proof()
        let second = try await device.refresh(pair.refreshToken)
        _ = try await device.refresh(second.refreshToken)
        server.time.advance(by: .seconds(61))

        #expect(try await refresh(held).refusal == .useDPoPNonce)
        #expect(try await server.isAlive(device.session))
    }

    @Test func `A proof is only accepted once`() async throws {
        let copied = try proof()
        _ = try await refresh(copied).pair()

        let answer = try await refresh(copied)

        #expect(answer.refusal == .useDPoPNonce)
        #expect(answer["access_token"] == nil)
        _ = try await device.refresh(pair.refreshToken)
    }

    @Test func `A proof is only accepted once even if its signature is rewritten`() async throws {
        let proof = try proof()
        _ = try await refresh(proof).pair()
        // The signatures (r, s) and (r, n - s) are both valid and differ only in s.
        let jws = try #require(CompactJWS(proof))
        let twin =
            proof.prefix { $0 != "." } + "." + Base64URL.encode(jws.payload) + "."
            + Base64URL.encode(
                Array(jws.signature.prefix(32)) + Self.negated(Array(jws.signature.suffix(32)))
            )
        #expect(twin != proof)
        #expect(try #require(CompactJWS(String(twin))).isSigned(by: device.key.publicKey))

        #expect(try await refresh(String(twin)).refusal == .useDPoPNonce)
    }

    /// Subtracts a number from the order of P-256.
    private static func negated(_ number: [UInt8]) -> [UInt8] {
        let order: [UInt8] = [
            0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
            0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
        ]
        var difference = order
        var borrow = 0
        for place in order.indices.reversed() {
            let digit = Int(order[place]) - Int(number[place]) - borrow
            borrow = digit < 0 ? 1 : 0
            difference[place] = UInt8(digit + borrow * 256)
        }
        return difference
    }

    @Test func `A proof isn't used up by a request that is rejected because of its key`() async throws {
        let thief = try await TokenDevice(server)
        let proof = try thief.proof()

        #expect(try await refresh(proof).refusal == .invalidDPoPProof)
        _ = try await thief.send(.exchange(sessionToken: thief.opened.token.secret), proof: proof).pair()
    }
}
