import LatchkeyAccounts
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

/// The session of an app that another app has logged in, and the events that end it.
@Suite("Sessions that another app has approved", .onEachDatabase)
struct ApprovedSessionTests {
    /// A session of the account.
    enum Kind: String, CaseIterable, Sendable {
        /// The session with which the user has approved the request.
        case approving
        /// The session that the asking app has got for its grant.
        case approved
        /// A session on another device.
        case other
    }

    enum Event: String, CaseIterable, Sendable {
        case newPassword, newPasswordByApprovingApp, recovery, reclaim, disabling, deletion, erasure
        case logoutOfApprovingApp, logoutOfApprovedApp, revocationByOther, revocationByOperator
        case endOfOthers, endOfOthersByApprovingApp, endOfOthersByApprovedApp
        case deletedClient, disabledClient

        /// The sessions that the event doesn't end.
        var survivors: Set<Kind> {
            switch self {
            case .recovery, .reclaim, .disabling, .deletion, .erasure, .revocationByOperator: []
            case .newPassword, .endOfOthers: [.other]
            case .newPasswordByApprovingApp, .endOfOthersByApprovingApp: [.approving]
            case .endOfOthersByApprovedApp: [.approved]
            case .logoutOfApprovingApp: [.approved, .other]
            case .logoutOfApprovedApp, .revocationByOther: [.approving, .other]
            // Like that of a native login, the session belongs to the user and not to the client.
            case .deletedClient, .disabledClient: Set(Kind.allCases)
            }
        }
    }

    private static let mail = "person1@example.org"

    private let approvals: ApprovalTests
    private let people: SelfServiceServer
    private let tokens: [Kind: String]

    init() async throws {
        approvals = try await ApprovalTests()
        people = approvals.server.people
        let approving = try await approvals.store()
        let approved = try await approvals.exchange(
            try await approvals.granted(by: approving).accessToken,
            key: approvals.key
        )
        #expect(approved.status == 200, "\(approved.body)")
        tokens = [
            .approving: approving, .approved: approved.accessToken, .other: try await people.loggedIn(1),
        ]
        #expect(await active() == Set(Kind.allCases))
    }

    private func token(_ kind: Kind) -> String { tokens[kind] ?? "" }

    /// Returns the sessions that the server accepts.
    private func active() async -> Set<Kind> {
        var active: Set<Kind> = []
        for (kind, token) in tokens where await people.get("/sessions/whoami", token: token).status == 200 {
            active.insert(kind)
        }
        return active
    }

    private func id(_ kind: Kind) async throws -> String {
        let session = await people.get("/sessions/whoami", token: token(kind))
        return try #require(session["id"]?.text)
    }

    // MARK: Events

    @Test(arguments: Event.allCases)
    func `Each session ends with`(_ event: Event) async throws {
        try await cause(event)
        #expect(await active() == event.survivors, "\(event)")
    }

    private func cause(_ event: Event) async throws {
        let identity = await people.get("/sessions/whoami", token: token(.other))["identity"]?["id"]?.text
        let account = "/admin/identities/" + (identity ?? "")
        switch event {
        case .newPassword: try await setPassword(by: .other)
        case .newPasswordByApprovingApp: try await setPassword(by: .approving)
        case .recovery: _ = try await TestBrowser(people).recover()
        case .reclaim: _ = try await people.enter(.login, with: Self.mail)
        case .disabling:
            let change = #"[{"op": "replace", "path": "/state", "value": "inactive"}]"#
            await operate(.patch, account, change)
        case .deletion: #expect(await people.delete("/account", token: token(.other)).status == 202)
        case .erasure: await operate(.delete, account)
        case .logoutOfApprovingApp: try await logOut(.approving)
        case .logoutOfApprovedApp: try await logOut(.approved)
        case .revocationByOther:
            let path = "/sessions/" + (try await id(.approved))
            #expect(await people.delete(path, token: token(.other)).status == 204)
        case .revocationByOperator: await operate(.delete, account + "/sessions")
        case .endOfOthers: await endOthers(.other)
        case .endOfOthersByApprovingApp: await endOthers(.approving)
        case .endOfOthersByApprovedApp: await endOthers(.approved)
        case .deletedClient: await operate(.delete, "/admin/clients/game")
        case .disabledClient:
            let change = #"[{"op": "add", "path": "/latchkey/disabled", "value": true}]"#
            await operate(.patch, "/admin/clients/game", change)
        }
    }

    private func setPassword(by kind: Kind) async throws {
        let saved = try await people.submit(
            .settings,
            await people.begin(.settings, token: token(kind)),
            ["method": "password", "password": "another correct horse"],
            token: token(kind)
        )
        #expect(saved.status == 200, "\(saved.body)")
    }

    private func logOut(_ kind: Kind) async throws {
        let body: JSONValue = ["session_token": .string(token(kind))]
        #expect(try await people.delete("/self-service/logout/api", body).status == 204)
    }

    private func endOthers(_ kind: Kind) async {
        #expect(await people.delete("/sessions", token: token(kind)).status == 200)
    }

    private func operate(_ method: HTTP.Method, _ path: String, _ body: String = "") async {
        let request = HTTP.Request(method, path, body: Array(body.utf8))
        let peer = PeerAddress(host: "192.0.2.9", port: 50_000)
        let response = await people.assembly.localAdministration().respond(to: request, from: peer)
        #expect([200, 204].contains(response.status), "\(response.status)")
    }

    // MARK: Sessions

    @Test func `The session is listed with the name of its app`() async throws {
        let listed = await people.get("/sessions", token: token(.other))
        let names = listed.body.elements.map { ($0["id"]?.text ?? "", $0["client_name"]?.text) }
        #expect(names.count == 2)
        let found = Dictionary(names) { first, _ in first }
        #expect(found[try await id(.approved)] == "The Shop")
        #expect(found[try await id(.approving)] == .some(nil))
    }

    @Test func `The session can't change what protects the account`() async throws {
        let flow = await people.begin(.settings, token: token(.approved))
        let traits: JSONValue = ["email": "another@example.org", "phone": "+46701000001"]
        for body in [
            ["method": "profile", "traits": traits],
            ["method": "password", "password": "another correct horse"],
        ] as [JSONValue] {
            let refused = try await people.submit(.settings, flow, body, token: token(.approved))
            #expect(refused.status == 403)
            #expect(refused.errorID == .sessionRefreshRequired)
        }
        let deletion = await people.delete("/account", token: token(.approved))
        #expect(deletion.status == 403)
        #expect(deletion.errorID == .sessionRefreshRequired)
        #expect(await people.get("/account/export", token: token(.approved)).status == 403)
        #expect(await active() == Set(Kind.allCases))
    }

    // MARK: Logouts in between

    @Test(arguments: ["openid", "openid offline_access"])
    func `A code that was approved by a session that has ended is useless without offline access`(
        scope: String
    ) async throws {
        let opened = try await approvals.open(
            try await approvals.requestURI(["scope": scope]),
            token: token(.approving)
        )
        let approved = try await approvals.answer(opened, "approve", token: token(.approving))
        try await logOut(.approving)
        #expect(try await approvals.redeem(approved) == (scope == "openid" ? 400 : 200))
    }

    @Test(arguments: ["openid", "openid offline_access"])
    func `A grant of a session that has ended can't be exchanged`(scope: String) async throws {
        let granted = try await approvals.granted(by: token(.approving), scope: scope)
        try await logOut(.approving)
        let exchanged = try await approvals.exchange(granted.accessToken, key: approvals.key)
        #expect(exchanged.oauthError == "invalid_grant")
        #expect(try await approvals.server.count("sessions", where: "client_id = 'game'") == 1)
    }
}

extension ApprovalTests {
    /// Has a session approve a request, and returns the tokens that the app redeems the code for.
    func granted(by token: String, scope: String = "openid") async throws -> Answer {
        let opened = try await open(try await requestURI(["scope": scope]), token: token)
        let approved = try await answer(opened, "approve", token: token)
        let tokens = await game.redeem(try code(in: approved), proof: try proof(key, at: Route.token))
        #expect(tokens.status == 200, "\(tokens.body)")
        return tokens
    }
}
