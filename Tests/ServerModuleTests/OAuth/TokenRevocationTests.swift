import LatchkeyModel
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyAccounts
@testable import LatchkeyOAuth

@Suite(.onEachDatabase) struct `Revoking tokens` {
    private let server: OAuthServer
    private let device: TokenDevice

    init() async throws {
        server = try await OAuthServer()
        device = try await TokenDevice(server)
    }

    @Test(
        arguments: ["newest refresh", "used refresh", "session"],
        ["", "refresh_token", "access_token", "nonsense"]
    )
    func `Revoking a token ends the session for any hint, and revoking it again succeeds`(
        kind: String,
        hint: String
    )
        async throws
    {
        let first = try await device.exchange()
        let second = try await device.refresh(first.refreshToken)
        let other = try await TokenDevice(server)
        let theirs = try await other.exchange()
        let token =
            switch kind {
            case "newest refresh": second.refreshToken
            case "used refresh": first.refreshToken
            default: device.opened.token.secret
            }

        for _ in 0..<3 {
            var request = HTTP.Request(
                form: [("token", token.exposed), ("token_type_hint", hint)],
                to: Route.revocation
            )
            request.headers["Authorization"] = nil
            let answer = await server.send(request)
            #expect(answer.status == 200)
            #expect(answer.response.body == RevocationBody.json)
            #expect(answer.response.headers["Cache-Control"] == "no-store")
        }

        let ends = try await AuditLog.events(limit: 10, in: server.database).filter {
            $0.action != .tokensIssued
        }
        #expect(ends.map(\.action) == [.loggedOut] && ends.map(\.subject) == [device.session.id.description])
        #expect(await server.whoami(device.opened.token.secret).status == 401)
        for pair in [first, second] {
            #expect(await server.whoami(pair.accessToken).status == 401)
            #expect(try await device.send(.refresh(pair.refreshToken)).refusal == .invalidGrant)
        }
        #expect(await server.whoami(theirs.accessToken).status == 200)
        _ = try await other.refresh(theirs.refreshToken)
    }

    /// A request that ends a session.
    enum End: CaseIterable, Sendable {
        /// A request from another session of the same user.
        case ownSession, otherSessions

        /// A request from an operator.
        case session, sessionsOfIdentity, listedSessions, sessionsOfListedIdentities
    }

    /// Ends the device's session.
    private func end(_ end: End) async throws -> Answer {
        let (session, identity) = (device.session.id, device.session.identityID)
        switch end {
        case .ownSession, .otherSessions:
            let own = try await server.openSession(certifying: nil, of: identity)
            return await server.send(
                HTTP.Request(
                    .delete,
                    "/a" + Route.sessions + (end == .ownSession ? "/\(session)" : ""),
                    headers: ["X-Session-Token": own.token.secret.exposed]
                )
            )
        case .session:
            return await server.administer(.delete, "/admin/sessions/\(session)")
        case .sessionsOfIdentity:
            return await server.administer(.delete, "/admin/identities/\(identity)/sessions")
        case .listedSessions:
            let body = #"{"action": "disable", "sessions": ["\#(session)"]}"#
            return await server.administer(.post, "/admin/sessions", body)
        case .sessionsOfListedIdentities:
            let body = #"{"action": "disable", "identities": ["\#(identity)"]}"#
            return await server.administer(.post, "/admin/sessions", body)
        }
    }

    @Test(arguments: End.allCases)
    func `Refresh tokens are rejected after the user or an operator has ended the session`(_ end: End)
        async throws
    {
        let pair = try await device.exchange()
        let other = try await TokenDevice(server)
        let theirs = try await other.exchange()

        let answer = try await self.end(end)

        #expect([200, 204].contains(answer.status), "\(answer.body)")
        #expect(try await device.send(.refresh(pair.refreshToken)).refusal == .invalidGrant)
        #expect(await server.whoami(pair.accessToken).status == 401)
        #expect(await server.whoami(theirs.accessToken).status == 200)
        _ = try await other.refresh(theirs.refreshToken)
    }

    @Test func `Revoking an access token doesn't end the session`()
        async throws
    {
        let pair = try await device.exchange()
        #expect(await server.revoke(pair.accessToken).status == 200)
        #expect(try await server.isAlive(device.session))
        #expect(await server.whoami(pair.accessToken).status == 200)
    }

    @Test func `Revoking a reused, expired, unknown or damaged token has no effect`() async throws {
        let first = try await device.exchange()
        let second = try await device.refresh(first.refreshToken)
        let third = try await device.refresh(second.refreshToken)
        let codec = RefreshTokenCodec(prefix: "lk_rt_", secrets: server.resources.secrets)
        server.time.advance(by: .seconds(601))
        let tokens: [Secret] = [
            first.refreshToken, second.accessToken, "x", "lk_rt_", "lk_rt_x", "lk_st_unknown", "a.b.c",
            codec.write(RefreshToken(session: device.session.id, number: 9)),
            codec.write(RefreshToken(session: Identifier(), number: 1)),
            Secret(third.accessToken.exposed + "A"), Secret(third.refreshToken.exposed + "A"),
        ]

        for token in tokens { #expect(await server.revoke(token).status == 200) }

        #expect(try await server.isAlive(device.session))
        _ = try await device.refresh(third.refreshToken)
    }

    @Test(arguments: ["", "token=", "x=1", "token=a&token=b", "token=%FF"])
    func `A revocation must contain exactly one token`(body: String) async throws {
        var request = HTTP.Request(.post, Route.revocation, body: Array(body.utf8))
        request.headers["Content-Type"] = "application/x-www-form-urlencoded"

        let answer = await server.send(request)

        #expect(answer.status == 400)
        #expect(answer.refusal == .invalidRequest)
    }

    @Test func `A revocation by a different client is rejected`() async throws {
        let pair = try await device.exchange()
        func revoke(as client: String) async -> Answer {
            await server.send(
                HTTP.Request(
                    form: [("token", pair.refreshToken.exposed), ("client_id", client)],
                    to: Route.revocation
                )
            )
        }

        let answer = await revoke(as: "another")
        #expect(answer.status == 401)
        #expect(answer.refusal == .invalidClient)
        #expect(try await server.isAlive(device.session))
        #expect(await revoke(as: "latchkey").status == 200)
        #expect(try await !server.isAlive(device.session))
    }
}

@Suite(.onEachDatabase) struct `Logging out of a session with tokens` {
    private let server: OAuthServer
    private let device: TokenDevice
    private let other: TokenDevice

    init() async throws {
        server = try await OAuthServer()
        device = try await TokenDevice(server)
        other = try await TokenDevice(server)
    }

    @Test
    func `Logging out ends the session's tokens immediately and leaves the tokens of other sessions valid`()
        async throws
    {
        let mine = try await device.exchange()
        let theirs = try await other.exchange()

        for _ in 0..<2 {
            #expect(await server.logOut(device.opened.token.secret).status == 204)
            #expect(await server.whoami(mine.accessToken).status == 401)
            #expect(try await device.send(.refresh(mine.refreshToken)).refusal == .invalidGrant)
            #expect(
                try await device.send(.exchange(sessionToken: device.opened.token.secret)).refusal
                    == .invalidRequest
            )
        }

        #expect(await server.whoami(theirs.accessToken).status == 200)
        _ = try await other.refresh(theirs.refreshToken)
        #expect(await server.revoke(mine.refreshToken).status == 200)
    }
}
