import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyAccounts
@testable import LatchkeyOAuth

extension Answer {
    /// Whether the answer refuses tokens because of a duty that blocks.
    fileprivate var isBlocked: Bool {
        oauthError == "interaction_required" && self["duty"] == "complete_profile"
            && self["error_description"] == "The user has to complete a step first: complete_profile."
    }

    /// The names of the duties in a token response.
    fileprivate var duties: [String]? { self["duties"]?.elements.compactMap(\.text) }
}

/// Each request is sent while a duty blocks, and then again, with the same code, token and proof.
@Suite(.onEachDatabase) struct `Tokens of sessions while a duty blocks` {
    private let source = BlockingSource()
    private let server: OAuthServer
    private let device: TokenDevice

    init() async throws {
        server = try await OAuthServer(dutySources: [source])
        device = try await TokenDevice(server)
    }

    @Test func `A refused exchange uses up no proof and issues no token`() async throws {
        let proof = try device.proof()
        let request = TokenRequest.exchange(sessionToken: device.opened.token.secret)
        source.set(.blocking)
        let refused = try await device.send(request, proof: proof)
        #expect(refused.status == 400 && refused.isBlocked, "\(refused.body)")
        #expect(try await server.used(device.session) == nil)

        source.set(.open)
        let accepted = try await device.send(request, proof: proof)
        #expect(accepted.status == 200, "\(accepted.body)")
        #expect(accepted.duties == ["another", "complete_profile", "later"])
    }

    @Test func `A refused refresh uses up neither the token nor the proof`() async throws {
        let first = try await device.exchange()
        let proof = try device.proof()
        source.set(.blocking)
        for proof in [proof, proof, try device.proof()] {
            let refused = try await device.send(.refresh(first.refreshToken), proof: proof)
            #expect(refused.status == 400 && refused.isBlocked, "\(refused.body)")
        }
        #expect(try await server.used(device.session) == 0)
        #expect(try await server.isAlive(device.session))

        source.set(.open)
        let accepted = try await device.send(.refresh(first.refreshToken), proof: proof)
        #expect(accepted.status == 200, "\(accepted.body)")
        #expect(accepted.duties == ["another", "complete_profile", "later"])
        source.set(.none)
        let next = try await device.send(.refresh(try accepted.pair().refreshToken))
        #expect(next.status == 200 && next.duties == nil)
    }

    @Test func `A refresh that is repeated after a lost answer is refused, too`() async throws {
        let first = try await device.exchange()
        let second = try await device.refresh(first.refreshToken)
        source.set(.blocking)
        #expect(try await device.send(.refresh(first.refreshToken)).isBlocked)
        source.set(.none)
        #expect(try await device.refresh(first.refreshToken).refreshToken == second.refreshToken)
    }

    @Test func `A request that couldn't use the token doesn't learn about the duty`() async throws {
        let first = try await device.exchange()
        source.set(.blocking)
        let thief = try device.impersonated()
        #expect(try await thief.send(.refresh(first.refreshToken)).refusal == .invalidDPoPProof)
        let exchange = TokenRequest.exchange(sessionToken: device.opened.token.secret)
        #expect(try await thief.send(exchange).refusal == .invalidDPoPProof)
        #expect(await server.logOut(device.opened.token.secret).status == 204)
        #expect(try await device.send(.refresh(first.refreshToken)).refusal == .invalidGrant)
        #expect(try await device.send(exchange).refusal == .invalidRequest)
    }

    @Test func `A copied token ends the session even while a duty blocks`() async throws {
        let chain = try await device.chain(3)
        source.set(.blocking)
        #expect(try await device.send(.refresh(chain[0].refreshToken)).refusal == .invalidGrant)
        #expect(try await !server.isAlive(device.session))
    }

    @Test func `An earlier access token opens no route of this server, except for exempt ones`() async throws
    {
        let token = try await device.exchange().accessToken
        source.set(.blocking)
        #expect(await server.whoami(token).status == 200)
        #expect(await server.events(token).status == 200)
        #expect(await server.revoke(token).status == 200)
    }
}

@Suite(.onEachDatabase) struct `Tokens of clients while a duty blocks` {
    private let source = BlockingSource()
    private let server: ProviderServer
    private let shop: RelyingParty

    init() async throws {
        server = try await ProviderServer(dutySources: [source])
        shop = try await server.client()
    }

    @Test func `A refused redemption doesn't use up the code`() async throws {
        let code = try await shop.authorize(try await server.signedUp())
        source.set(.blocking)
        for _ in 0..<2 {
            let refused = await shop.redeem(code)
            #expect(refused.status == 400 && refused.isBlocked, "\(refused.body)")
        }
        source.set(.open)
        let accepted = await shop.redeem(code)
        #expect(accepted.status == 200, "\(accepted.body)")
        #expect(accepted.duties == ["another", "complete_profile", "later"])
        source.set(.blocking)
        // The code was redeemed, so it ends the grant as ever.
        #expect(await shop.redeem(code).oauthError == "invalid_grant")
        #expect(try await server.count("grants", where: "ended_at IS NULL") == 0)
    }

    @Test func `A refused refresh doesn't use up the token`() async throws {
        let tokens = try await shop.tokens(of: try await server.signedUp())
        let token = try #require(tokens.refreshToken)
        source.set(.blocking)
        for _ in 0..<2 {
            let refused = await shop.refresh(token)
            #expect(refused.status == 400 && refused.isBlocked, "\(refused.body)")
        }
        #expect(try await server.count("grants", where: "used = 0 AND ended_at IS NULL") == 1)
        source.set(.open)
        let accepted = await shop.refresh(token)
        #expect(accepted.status == 200, "\(accepted.body)")
        #expect(accepted.duties == ["another", "complete_profile", "later"])
        source.set(.none)
        #expect(await shop.refresh(try #require(accepted.refreshToken)).duties == nil)
        source.set(.blocking)
        // The first token was copied, so it ends the grant as ever.
        #expect(await shop.refresh(token).oauthError == "invalid_grant")
        #expect(try await server.count("grants", where: "ended_at IS NULL") == 0)
    }

    @Test func `A request that couldn't redeem the code doesn't learn about the duty`() async throws {
        let other = try await server.client("other")
        let code = try await shop.authorize(try await server.signedUp())
        source.set(.blocking)
        let verifier = String(repeating: "v", count: 43)
        let wrong = [
            await shop.redeem(code, with: ["code_verifier": verifier]),
            await shop.redeem(code, with: ["redirect_uri": ProviderServer.callback + "/x"]),
            await other.redeem(code), await shop.redeem(code + "x"),
        ]
        for answer in wrong { #expect(answer.oauthError == "invalid_grant", "\(answer.body)") }
        server.time.advance(by: .seconds(60))
        #expect(await shop.redeem(code).oauthError == "invalid_grant")
    }

    @Test func `A duty at one client doesn't block the tokens of others`() async throws {
        let other = try await server.client("other")
        let visitor = try await server.signedUp()
        let (mine, its) = (try await shop.tokens(of: visitor), try await other.tokens(of: visitor))
        source.set(.blocking, at: "shop")

        #expect(await shop.refresh(try #require(mine.refreshToken)).isBlocked)
        #expect(await other.refresh(try #require(its.refreshToken)).status == 200)
        #expect(await shop.userInfo(mine.accessToken).status == 403)
        #expect(await other.userInfo(its.accessToken).status == 200)
    }

    @Test func `The claims of the user are refused, and no proof is used up`() async throws {
        let key = try SigningKey.generate()
        func proof(_ path: String, _ method: HTTP.Method, token: String? = nil) throws -> String {
            var proof = DPoPProof(
                method: method,
                url: ProviderServer.issuer + path,
                id: Identifier().description,
                issuedAt: server.time.now
            )
            proof.accessTokenHash = token.map { SHA256.hash(Array($0.utf8)) }
            return try proof.signed(jwk: key.publicKey.jwk) { try key.rawSignature(for: $0) }
        }
        let code = try await shop.authorize(try await server.signedUp())
        let token = await shop.redeem(code, proof: try proof(Route.token, .post)).accessToken
        var request = HTTP.Request(.get, Route.userInfo, headers: ["Authorization": "DPoP " + token])
        request.headers[DPoPProof.header] = try proof(Route.userInfo, .get, token: token)
        source.set(.blocking)
        let refused = await server.people.send(request)
        #expect(refused.status == 403 && refused.isBlocked, "\(refused.body)")
        #expect(refused["sub"] == nil)

        source.set(.open)
        #expect(await server.people.send(request).status == 200)
        #expect(await server.people.send(request).oauthError == "use_dpop_nonce")
    }

    @Test func `An exchange for a session uses up neither the grant nor the proof`() async throws {
        let approvals = try await ApprovalTests(dutySources: [source])
        let tokens = try await approvals.granted(by: try await approvals.store())
        let proof = try approvals.proof(approvals.key, at: Route.token)
        func exchange() async -> Answer {
            await approvals.game.send(
                [
                    "grant_type": TokenRequest.Grant.tokenExchange.rawValue,
                    "subject_token": tokens.accessToken,
                    "subject_token_type": TokenType.accessToken.rawValue,
                    "requested_token_type": TokenType.session.rawValue,
                ],
                proof: proof
            )
        }
        source.set(.blocking)
        for _ in 0..<2 {
            let refused = await exchange()
            #expect(refused.status == 400 && refused.isBlocked, "\(refused.body)")
        }
        #expect(try await approvals.server.count("sessions", where: "client_id = 'game'") == 0)
        source.set(.open)
        let accepted = await exchange()
        #expect(accepted.status == 200, "\(accepted.body)")
    }

    @Test func `The request of another app is neither opened nor approved`() async throws {
        let approvals = try await ApprovalTests(dutySources: [source])
        let token = try await approvals.store()
        let uri = try await approvals.requestURI()
        source.set(.blocking)
        #expect(try await approvals.open(uri, token: token).errorID == .dutyRequired)
        source.set(.none)
        let opened = try await approvals.open(uri, token: token)
        #expect(opened.status == 201, "\(opened.body)")
        source.set(.blocking)
        #expect(try await approvals.answer(opened, "approve", token: token).errorID == .dutyRequired)
        #expect(try await approvals.server.count("grants") == 0)
        source.set(.none)
        #expect(try await approvals.answer(opened, "approve", token: token).status == 200)
    }
}
