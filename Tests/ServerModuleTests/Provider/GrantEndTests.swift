import LatchkeyCrypto
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyOAuth

/// The credentials that an account and a client have for each other, and the events that end them.
@Suite("Ends of access", .onEachDatabase)
struct GrantEndTests {
    /// Something that leads to tokens, or to data of the account.
    enum Credential: String, CaseIterable, Sendable {
        /// The access token of a grant at userinfo, its refresh token, and its exchange for a session.
        case userInfo, refreshToken, exchange
        /// A code that the client hasn't redeemed.
        case code
        /// An answer to the question about a client, which the browser sends again.
        case answer
        /// A page that asks the user about the client.
        case question
        /// A pushed request that an app has opened, and one that no app has opened.
        case approval, pushedRequest
    }

    enum Event: String, CaseIterable, Sendable {
        case recovery, newPassword, disabling, reclaim, deletion, erasure, revokedConsent, deletedClient,
            disabledClient, logout, logoutWithoutOfflineAccess, reusedCode, reusedRefreshToken,
            revokedRefreshToken

        /// The credentials that the event doesn't end.
        ///
        /// A request that belongs to the client, or in which the user has to agree first, ends only with the
        /// session that it waits in.
        var survivors: Set<Credential> {
            switch self {
            case .recovery, .disabling, .reclaim, .deletion, .erasure: [.pushedRequest]
            // The browser in which the user has set the password stays logged in.
            case .newPassword: [.question, .pushedRequest]
            case .revokedConsent: [.question, .approval, .pushedRequest]
            case .deletedClient, .disabledClient: []
            // A lost answer can't be repeated without the session, and a grant becomes no session. But the grants are
            // the client's.
            case .logout: [.userInfo, .refreshToken, .code, .approval, .pushedRequest]
            case .logoutWithoutOfflineAccess: [.approval, .pushedRequest]
            case .reusedCode, .reusedRefreshToken, .revokedRefreshToken:
                [.code, .answer, .question, .approval, .pushedRequest]
            }
        }

        /// The statements of the transactions that must not commit for the event to have no effect.
        var statements: [String] {
            switch self {
            case .logout, .logoutWithoutOfflineAccess: ["UPDATE sessions SET revoked_at"]
            case .erasure: ["DELETE FROM grants"]
            default: ["UPDATE grants SET ended_at"]
            }
        }

        var scope: String {
            self == .logoutWithoutOfflineAccess ? "openid" : "openid offline_access"
        }
    }

    @Test(arguments: Event.allCases)
    func `Each credential ends with`(_ event: Event) async throws {
        let access = try await ClientAccess(scope: event.scope)
        try await access.cause(event)
        #expect(try await access.accepted() == event.survivors, "\(event)")
    }

    @Test(arguments: Event.allCases)
    func `Credentials stay valid if the transaction is rolled back that contains`(
        _ event: Event
    ) async throws {
        let access = try await ClientAccess(scope: event.scope)
        let state = try await access.state()
        let refused = try await access.database.refusing(event.statements) { try await access.cause(event) }
        #expect(!refused.isEmpty)
        // The event is recorded together with what it ends, and has no effect without it.
        #expect(refused.allSatisfy { $0.contains { $0.contains("INSERT INTO audit") } }, "\(refused)")
        #expect(try await access.state() == state)
        var all = Set(Credential.allCases)
        if event == .logoutWithoutOfflineAccess { all.remove(.refreshToken) }
        #expect(try await access.accepted() == all, "\(event)")
    }
}

/// An account with all kinds of credentials for a first-party client.
private struct ClientAccess {
    private typealias Credential = GrantEndTests.Credential
    private static let mail = "person1@example.org"
    private static let asking: [String: String?] = ["prompt": "consent"]

    let database: RefusingDatabase
    private let server: ProviderServer
    private let administration: any HTTPHandler
    private let client: RelyingParty
    private let key: SigningKey
    private let identity: String
    private let visitor: PageVisitor
    private let appToken: String
    private let othersToken: String

    private let redeemedCode: String
    private let tokens: Answer
    private let refreshToken: String
    private let code: String
    private let answered: PageVisitor
    private let question: PageVisitor
    private let approval: Answer
    private let pushedRequest: String

    init(scope: String) async throws {
        database = RefusingDatabase(try await TestDatabase.current.open(time: VirtualTime()))
        server = try await ProviderServer(over: database)
        administration = server.people.assembly.localAdministration()
        key = try SigningKey.generate()
        client = try await server.client(
            secret: nil,
            scope: scope,
            own: #""first_party": true, "app_to_app": true, "native_session": true"#
        )
        visitor = try await server.signedUp()
        let login = try await server.people.login()
        appToken = try #require(login.sessionToken, "\(login.body)")
        identity = try #require(login["session"]?["identity"]?["id"]?.text)
        othersToken = try #require(try await server.people.register(2).sessionToken)

        let steps = Steps(server: server, client: client, key: key)
        redeemedCode = try await client.authorize(visitor)
        tokens = try await steps.redeem(redeemedCode)
        // The first token is older than the last two, so that its reuse isn't a lost answer.
        var newest = tokens
        for _ in 0..<2 {
            guard let token = newest.refreshToken else { break }
            newest = await client.refresh(token, proof: try steps.proof(at: Route.token))
        }
        refreshToken = newest.refreshToken ?? ""
        server.time.advance(by: .seconds(2))
        code = try await client.authorize(visitor)

        let page = PageVisitor(sharing: visitor)
        try await page.open(client.address(Self.asking))
        answered = PageVisitor(copying: page)
        try await page.submit(["decision": "approve"])
        question = PageVisitor(sharing: visitor)
        try await question.open(client.address(Self.asking))
        approval = try await steps.open(try await steps.push(), token: appToken)
        #expect(approval.status == 201, "\(approval.body)")
        pushedRequest = try await steps.push()
    }

    // MARK: Events

    func cause(_ event: GrantEndTests.Event) async throws {
        switch event {
        case .recovery: _ = try await TestBrowser(server.people).recover()
        case .newPassword:
            let form = try await visitor.browser.start(.settings)
            let values = ["method": "password", "password": "another correct horse"]
            _ = try await visitor.browser.submit(form, values)
        case .disabling:
            let patch = #"[{"op": "replace", "path": "/state", "value": "inactive"}]"#
            await operate(.patch, "/admin/identities/" + identity, patch)
        case .reclaim: _ = try await server.people.enter(.login, with: Self.mail)
        case .deletion: _ = await server.people.delete("/account", token: appToken)
        case .erasure: await operate(.delete, "/admin/identities/" + identity)
        case .revokedConsent: _ = await visitor.browser.get("/account/clients/shop", method: .delete)
        case .deletedClient: await operate(.delete, "/admin/clients/shop")
        case .disabledClient:
            let disable = #"[{"op": "add", "path": "/latchkey/disabled", "value": true}]"#
            guard await operate(.patch, "/admin/clients/shop", disable) == 200 else { break }
            // The earlier credentials stay invalid when the client is enabled again.
            let enable = #"[{"op": "replace", "path": "/latchkey/disabled", "value": false}]"#
            await operate(.patch, "/admin/clients/shop", enable)
        case .logout, .logoutWithoutOfflineAccess:
            let page = PageVisitor(sharing: visitor)
            try await page.open("/logout")
            try await page.submit([:])
        case .reusedCode: _ = await client.redeem(redeemedCode, proof: try steps.proof(at: Route.token))
        case .reusedRefreshToken:
            let token = try #require(tokens.refreshToken)
            let first = await client.refresh(token, proof: try steps.proof(at: Route.token))
            // The nonce shows that the client could have read the newer tokens.
            let nonce = first.response.headers["DPoP-Nonce"]
            _ = await client.refresh(token, proof: try steps.proof(at: Route.token, nonce: nonce))
        case .revokedRefreshToken: _ = await client.send(["token": refreshToken], to: Route.revocation)
        }
    }

    /// Sends a request of an operator, and returns the status of the response.
    @discardableResult
    private func operate(_ method: HTTP.Method, _ path: String, _ body: String = "") async -> Int {
        let request = HTTP.Request(method, path, body: Array(body.utf8))
        let peer = PeerAddress(host: "192.0.2.9", port: 50_000)
        return await administration.respond(to: request, from: peer).status
    }

    // MARK: Credentials

    private var steps: Steps { Steps(server: server, client: client, key: key) }

    /// Uses each credential, and returns those that the server accepts.
    func accepted() async throws -> Set<GrantEndTests.Credential> {
        var accepted: Set<Credential> = []
        // The exchange is the last use of the grant.
        for credential in Credential.allCases where try await isAccepted(credential) {
            accepted.insert(credential)
        }
        return accepted
    }

    private func isAccepted(_ credential: GrantEndTests.Credential) async throws -> Bool {
        switch credential {
        case .userInfo: return try await steps.userInfo(tokens.accessToken).status == 200
        case .refreshToken:
            let proof = try steps.proof(at: Route.token)
            return await client.refresh(refreshToken, proof: proof).status == 200
        case .exchange: return try await steps.exchange(tokens.accessToken).status == 200
        case .code: return try await steps.redeem(code).status == 200
        case .answer: return try await isApproved(answered)
        case .question: return try await isApproved(question)
        case .approval: return try await steps.approve(approval, token: appToken).status == 200
        case .pushedRequest: return try await steps.open(pushedRequest, token: othersToken).status == 201
        }
    }

    /// Whether a page leads to the client with a code that the client can redeem.
    private func isApproved(_ page: PageVisitor) async throws -> Bool {
        try await page.submit(["decision": "approve"])
        guard let code = client.parameters(of: page)?["code"] else { return false }
        return try await steps.redeem(code).status == 200
    }

    // MARK: State

    /// Counts what the events change beside grants.
    func state() async throws -> [Int64] {
        let rows: [(SQL, SQL)] = [
            ("sessions", "revoked_at IS NULL"), ("consents", "1 = 1"), ("clients", "updated_at = created_at"),
            ("identities", "state = 'active' AND deletion_at IS NULL AND reclaimed_at IS NULL"),
            ("passwords", "updated_at = created_at"), ("audit", "1 = 1"),
            ("authorization_requests", "answered_at IS NULL"), ("grants", "ended_at IS NULL"),
        ]
        var counts: [Int64] = []
        for (table, condition) in rows { counts.append(try await server.count(table, where: condition)) }
        return counts
    }
}

/// The requests of a client whose tokens are bound to a key.
private struct Steps {
    let server: ProviderServer
    let client: RelyingParty
    let key: SigningKey

    func proof(
        at path: String,
        method: HTTP.Method = .post,
        token: String? = nil,
        nonce: String? = nil
    ) throws -> String {
        var proof = DPoPProof(
            method: method,
            url: ProviderServer.issuer + path,
            id: Identifier().description,
            issuedAt: server.time.now
        )
        proof.accessTokenHash = token.map { SHA256.hash(Array($0.utf8)) }
        proof.nonce = nonce
        return try proof.signed(jwk: key.publicKey.jwk) { try key.rawSignature(for: $0) }
    }

    func redeem(_ code: String) async throws -> Answer {
        await client.redeem(code, proof: try proof(at: Route.token))
    }

    func userInfo(_ token: String) async throws -> Answer {
        let headers: HTTP.Headers = [
            "Authorization": "DPoP " + token,
            DPoPProof.header: try proof(at: Route.userInfo, method: .get, token: token),
        ]
        return await server.people.send(HTTP.Request(.get, Route.userInfo, headers: headers))
    }

    func exchange(_ token: String) async throws -> Answer {
        await client.send(
            [
                "grant_type": TokenRequest.Grant.tokenExchange.rawValue, "subject_token": token,
                "subject_token_type": TokenType.accessToken.rawValue,
                "requested_token_type": TokenType.session.rawValue,
            ],
            proof: try proof(at: Route.token)
        )
    }

    /// Pushes a request and returns its URI.
    func push() async throws -> String {
        let items = QueryItems(String(client.address().dropFirst(Route.authorization.count + 1))).texts
        let parameters: [String: String?] = Dictionary(
            stride(from: 0, to: items.count, by: 2).map { (items[$0], items[$0 + 1]) },
            uniquingKeysWith: { $1 }
        )
        let proof = try proof(at: Route.pushedRequests)
        let pushed = await client.send(parameters, to: Route.pushedRequests, proof: proof)
        return try #require(pushed["request_uri"]?.text, "\(pushed.body)")
    }

    func open(_ uri: String, token: String) async throws -> Answer {
        try await post("", ["client_id": .string(client.id), "request_uri": .string(uri)], token: token)
    }

    /// Approves a request that was opened.
    func approve(_ opened: Answer, token: String) async throws -> Answer {
        let account = JSONValue.string(opened["account"]?.text ?? "")
        return try await post(
            "/" + (opened["id"]?.text ?? ""),
            ["decision": "approve", "account": account],
            token: token
        )
    }

    private func post(_ path: String, _ body: JSONValue, token: String) async throws -> Answer {
        var request = HTTP.Request(
            .post,
            Route.approvals + path,
            headers: ["Content-Type": "application/json", "Authorization": "Bearer " + token]
        )
        request.body = try JSONCoding.encode(body)
        return await server.people.send(request)
    }
}
