import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyOAuth

/// The conditions of the statements that decide once.
///
/// Most of them are also checked before, so that an error has a reason. But only the statement counts when two
/// requests arrive at once.
@Suite("Statements about grants and requests", .onEachDatabase)
struct ProviderStatementTests {
    private struct RolledBack: Error {
        let isDone: Bool
    }

    private let server: ProviderServer
    private let now: Timestamp

    init() async throws {
        server = try await ProviderServer()
        now = server.time.now
    }

    /// Returns whether a statement does something after changes of the rows, and rolls all of it back.
    private func isDone(
        after changes: [SQL] = [],
        _ statement: @escaping @Sendable (borrowing Transaction) throws -> Bool
    ) async throws -> Bool {
        do {
            return try await server.database.transaction { transaction in
                for change in changes { try transaction.execute(change) }
                throw RolledBack(isDone: try statement(transaction))
            }
        } catch let end as RolledBack {
            return end.isDone
        }
    }

    private func change(_ statement: SQL) async throws {
        _ = try await server.database.transaction { try $0.execute(statement) }
    }

    // MARK: Grants

    /// Stores a grant with refresh tokens, and returns its id.
    private func grant() async throws -> Identifier {
        let shop = try await server.client()
        #expect(try await shop.tokens(of: try await server.signedUp()).status == 200)
        return try await server.database.rows("SELECT id FROM grants")[0].identifier(0)
    }

    @Test func `A refresh token is used by its client and key, until its grant ends`() async throws {
        let (id, now) = (try await grant(), now)
        func isUsed(
            number: Int64 = 1,
            client: String = "shop",
            key: String? = nil,
            after change: SQL? = nil
        ) async throws -> Bool {
            try await isDone(after: change.map { [$0] } ?? []) { transaction in
                try GrantRepository.use(
                    RefreshToken(session: id, number: number),
                    by: client,
                    key: key,
                    until: now + .seconds(60),
                    at: now,
                    in: transaction
                ) != nil
            }
        }
        #expect(try await isUsed())
        #expect(try await isUsed(key: "key"))
        #expect(try await isUsed(key: "key", after: "UPDATE grants SET key_thumbprint = 'key'"))
        #expect(try await isUsed(number: 2, after: "UPDATE grants SET used = 1"))
        #expect(try await !isUsed(number: 0))
        #expect(try await !isUsed(number: 2))
        #expect(try await !isUsed(client: "other"))
        #expect(try await !isUsed(key: "other", after: "UPDATE grants SET key_thumbprint = 'key'"))
        let changes: [SQL] = [
            "UPDATE grants SET used = 1", "UPDATE grants SET expires_at = used_at",
            "UPDATE grants SET redeemed_at = NULL", "UPDATE grants SET is_offline = 0",
            "UPDATE grants SET key_thumbprint = 'key'", "UPDATE grants SET ended_at = used_at",
            "UPDATE identities SET state = 'inactive'",
        ]
        for change in changes { #expect(try await !isUsed(after: change), "\(change)") }
    }

    @Test func `A grant that has expired isn't alive, and another client doesn't find it`() async throws {
        let id = try await grant()
        let grants = GrantRepository(database: server.database)
        #expect(try await grants.find(id, of: "other", at: now) == nil)
        #expect(try await grants.find(id, of: "shop", at: now)?.isAlive == true)
        try await change("UPDATE grants SET expires_at = used_at")
        #expect(try await grants.find(id, of: "shop", at: now)?.isAlive == false)
    }

    @Test func `The token of one client doesn't read the claims of another client's grant`() async throws {
        let shop = try await server.client()
        let tokens = try await shop.tokens(of: try await server.signedUp())
        #expect(await shop.userInfo(tokens.accessToken).status == 200)
        try await change("UPDATE grants SET client_id = 'other'")
        #expect(await shop.userInfo(tokens.accessToken).status == 401)
    }

    @Test func `A grant is exchanged once, by its client and key, with a token that isn't revoked`()
        async throws
    {
        let (id, now) = (try await grant(), now)
        func token(of client: String) throws -> GrantClaims {
            let json = """
                {"iss": "\(ProviderServer.issuer)", "\(AccessTokenIssuer.grantClaim)": "\(id)", \
                "client_id": "\(client)", "jti": "the token", "scope": "openid", "exp": 1, "aud": []}
                """
            let claims = try JSONParser.parse(Array(json.utf8))
            return try #require(GrantClaims(claims, issuer: ProviderServer.issuer))
        }
        func isExchanged(
            client: String = "shop",
            key: String = "key",
            after change: SQL? = nil
        ) async throws -> Bool {
            let token = try token(of: client)
            let changes = ["UPDATE grants SET key_thumbprint = 'key'", change].compactMap { $0 }
            return try await isDone(after: changes) { transaction in
                try GrantRepository.exchange(
                    token,
                    for: Identifier(),
                    provenBy: key,
                    at: now,
                    in: transaction
                ) != nil
            }
        }
        #expect(try await isExchanged())
        #expect(try await !isExchanged(client: "other"))
        #expect(try await !isExchanged(key: "other"))
        let changes: [SQL] = [
            "UPDATE grants SET key_thumbprint = NULL", "UPDATE grants SET exchanged_session_id = session_id",
            "UPDATE grants SET ended_at = used_at",
            "INSERT INTO revoked_access_tokens (id, expires_at) VALUES ('the token', 1)",
        ]
        for change in changes { #expect(try await !isExchanged(after: change), "\(change)") }

        /// Whether a lost answer is repeated.
        func isRepeated(client: String = "shop", key: String = "key") async throws -> Bool {
            let token = try token(of: client)
            let exchanged: SQL =
                "UPDATE grants SET key_thumbprint = 'key', exchanged_session_id = session_id"
            return try await isDone(after: [exchanged]) { transaction in
                try GrantRepository.exchanged(token, provenBy: key, in: transaction) != nil
            }
        }
        #expect(try await isRepeated())
        #expect(try await !isRepeated(client: "other"))
        #expect(try await !isRepeated(key: "other"))
    }

    // MARK: Requests

    private static let uri = RequestURI(random: SeededRandom(seed: 1))
    private static let request =
        #"{"client_id": "shop", "redirect_uri": "https://shop.example.com/callback"}"#

    /// Stores a pushed request for a minute, and returns its id.
    private func push() async throws -> Identifier {
        let request = try #require(AuthorizationRequest(json: Array(Self.request.utf8)))
        let now = now
        _ = try await server.database.transaction { transaction in
            try PushedRequestRepository.insert(
                request,
                uri: Self.uri,
                until: now + .seconds(60),
                at: now,
                random: SeededRandom(seed: 2),
                in: transaction
            )
        }
        return try await server.database.rows("SELECT id FROM authorization_requests")[0].identifier(0)
    }

    private enum Opener: CaseIterable {
        case browser, app, session
    }

    @Test(arguments: Opener.allCases)
    private func `A pushed request is opened once, for its client and before it expires, by`(
        _ opener: Opener
    ) async throws {
        // The id of the request is also that of the session, so that statements without parameters can set it.
        let (session, now) = (try await push(), now)
        func isOpened(
            _ uri: RequestURI = Self.uri,
            client: String = "shop",
            by session: Identifier? = session,
            after change: SQL? = nil
        ) async throws -> Bool {
            try await isDone(after: change.map { [$0] } ?? []) { transaction in
                switch opener {
                case .browser:
                    try PushedRequestRepository.open(
                        uri,
                        of: client,
                        boundTo: CSRFSecret(random: SeededRandom(seed: 3)),
                        at: now,
                        in: transaction
                    ) != nil
                case .app:
                    try PushedRequestRepository.openByApp(uri, of: client, at: now, in: transaction) != nil
                case .session:
                    try PushedRequestRepository.open(
                        uri,
                        of: client,
                        by: session ?? Identifier(),
                        at: now,
                        in: transaction
                    ) != nil
                }
            }
        }
        #expect(try await isOpened())
        #expect(try await !isOpened(RequestURI(random: SeededRandom(seed: 4))))
        #expect(try await !isOpened(client: "other"))
        let changes: [SQL] = [
            "UPDATE authorization_requests SET binding = id",
            "UPDATE authorization_requests SET answered_at = requested_at",
            "UPDATE authorization_requests SET expires_at = requested_at",
        ]
        for change in changes { #expect(try await !isOpened(after: change), "\(change)") }
        // The same session opens the request again if the response was lost.
        let opened: SQL = "UPDATE authorization_requests SET session_id = id"
        #expect(try await isOpened(after: opened) == (opener == .session))
        // Another session opens it only after that session has ended.
        #expect(try await isOpened(by: nil, after: opened) == (opener == .session))
        _ = try await server.people.register()
        let active: SQL = "UPDATE authorization_requests SET session_id = (SELECT id FROM sessions)"
        #expect(try await !isOpened(by: nil, after: active))
        for end in [
            "UPDATE sessions SET revoked_at = issued_at", "UPDATE sessions SET expires_at = issued_at",
        ] as [SQL] {
            try await change(end)
            #expect(try await isOpened(by: nil, after: active) == (opener == .session), "\(end)")
            try await change("UPDATE sessions SET revoked_at = NULL, expires_at = issued_at + 1")
        }
    }

    @Test func `A session releases a request that it has opened, as often as it likes`() async throws {
        let (id, now) = (try await push(), now)
        func isReleased(by session: Identifier, after changes: [SQL] = []) async throws -> Bool {
            try await isDone(after: changes) { transaction in
                try PushedRequestRepository.release(id, by: session, at: now, in: transaction)
            }
        }
        let opened: SQL = "UPDATE authorization_requests SET session_id = id"
        #expect(try await isReleased(by: id, after: [opened]))
        #expect(try await isReleased(by: id))
        #expect(try await !isReleased(by: Identifier(), after: [opened]))
        let changes: [SQL] = [
            "UPDATE authorization_requests SET binding = id",
            "UPDATE authorization_requests SET answered_at = requested_at",
            "UPDATE authorization_requests SET expires_at = requested_at",
        ]
        for change in changes {
            #expect(try await !isReleased(by: id, after: [change]), "\(change)")
            #expect(try await !isReleased(by: id, after: [opened, change]), "\(change)")
        }
    }

    @Test func `A session finds the requests that it can open or has opened`() async throws {
        let session = try await push()
        func isFound(client: String = "shop", by session: Identifier = session) async throws -> Bool {
            try await PushedRequestRepository.find(
                Self.uri,
                of: client,
                by: session,
                at: now,
                in: server.database
            ) != nil
        }
        #expect(try await isFound())
        #expect(try await !isFound(client: "other"))
        try await change("UPDATE authorization_requests SET session_id = id")
        #expect(try await isFound())
        #expect(try await isFound(by: Identifier()))
        // An answered or expired request is found, so that the refusal has a reason.
        try await change("UPDATE authorization_requests SET answered_at = requested_at")
        #expect(try await isFound())
        _ = try await server.people.register()
        try await change("UPDATE authorization_requests SET session_id = (SELECT id FROM sessions)")
        #expect(try await !isFound(by: Identifier()))
        try await change("UPDATE authorization_requests SET session_id = NULL, binding = id")
        #expect(try await !isFound())
    }

    @Test func `A request is answered and withdrawn once, before it expires`() async throws {
        let (id, now) = (try await push(), now)
        func isAnswered(by approver: Identifier? = nil, after change: SQL? = nil) async throws -> Bool {
            try await isDone(after: change.map { [$0] } ?? []) { transaction in
                try AuthorizationRequestRepository.answer(
                    id,
                    with: nil,
                    by: approver,
                    at: now,
                    in: transaction
                )
            }
        }
        func isWithdrawn(
            client: String = "shop",
            key: String? = nil,
            after change: SQL? = nil
        ) async throws -> Bool {
            try await isDone(after: change.map { [$0] } ?? []) { transaction in
                try PushedRequestRepository.withdraw(
                    Self.uri,
                    of: client,
                    provenBy: key,
                    at: now,
                    in: transaction
                )
            }
        }
        #expect(try await isAnswered())
        #expect(try await !isAnswered(by: id))
        let opened: SQL = "UPDATE authorization_requests SET session_id = id"
        #expect(try await isAnswered(by: id, after: opened))
        #expect(try await !isAnswered(by: Identifier(), after: opened))
        #expect(try await !isAnswered(after: opened))
        #expect(try await isWithdrawn(after: opened))
        #expect(try await isWithdrawn())
        #expect(try await isWithdrawn(key: "key"))
        #expect(try await !isWithdrawn(client: "other"))
        let changes: [SQL] = [
            "UPDATE authorization_requests SET answered_at = requested_at",
            "UPDATE authorization_requests SET expires_at = requested_at",
        ]
        for change in changes {
            #expect(try await !isAnswered(after: change), "\(change)")
            #expect(try await !isWithdrawn(after: change), "\(change)")
        }
    }
}
