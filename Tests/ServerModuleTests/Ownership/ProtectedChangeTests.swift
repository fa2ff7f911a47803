import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite("Changes allowed in each kind of session", .onEachDatabase)
struct ProtectedChangeTests {
    /// How the session was created.
    enum Opening: CaseIterable, Sendable {
        case password, codeToMail, codeToPhone, recoveryByMail, recoveryByOperator
    }

    /// A change that the user tries to make in a session.
    enum Change: CaseIterable, Sendable {
        case mail, phone, password
    }

    /// The changes that each session may make if all of the account's addresses are verified.
    private static let allowed: [Opening: Set<Change>] = [
        .password: [.mail, .phone, .password],
        .codeToMail: [.mail],
        .codeToPhone: [.phone],
        .recoveryByMail: [.mail, .password],
        .recoveryByOperator: [.password],
    ]

    private func open(_ opening: Opening, _ account: ProvenAccount) async throws -> String {
        switch opening {
        case .password: return try await account.logIn()
        case .codeToMail: return try await account.open(.login, with: ProvenAccount.mail)
        case .codeToPhone: return try await account.open(.login, with: ProvenAccount.phone)
        case .recoveryByMail: return try await account.open(.recovery, with: ProvenAccount.mail)
        case .recoveryByOperator: return try await account.openWithOperatorCode()
        }
    }

    private func make(_ change: Change, _ account: ProvenAccount, _ token: String) async throws -> Answer {
        switch change {
        case .mail:
            let traits = ProvenAccount.traits(mail: ProvenAccount.newMail)
            return try await account.server.change(traits: traits, token: token)
        case .phone:
            let traits = ProvenAccount.traits(phone: ProvenAccount.newPhone)
            return try await account.server.change(traits: traits, token: token)
        case .password:
            return try await account.server.change(password: ProvenAccount.newPassword, token: token)
        }
    }

    /// Expects the change to be rejected with a message that tells the user what to do.
    ///
    /// If the response asked for a new login instead, standard Kratos user interfaces would end up in a loop.
    private func expectRefusal(_ answer: Answer) {
        #expect(answer.status == 400)
        #expect(answer.errorID == nil)
        #expect(answer.messages == [.validation])
        #expect(answer["state"] == "show_form")
        #expect(answer["ui"]?["messages"]?.first?["type"] == "error")
    }

    @Test(arguments: Opening.allCases, Change.allCases)
    func `Allowed changes depend on how the user logged in`(_ opening: Opening, _ change: Change) async throws
    {
        let account = try await ProvenAccount()
        let token = try await open(opening, account)
        let answer = try await make(change, account, token)
        if try #require(Self.allowed[opening]).contains(change) {
            #expect(answer.status == 200)
            #expect(answer["state"] == "success")
        } else {
            expectRefusal(answer)
            #expect(
                try await Set(account.identity().identifiers) == [ProvenAccount.mail, ProvenAccount.phone]
            )
            #expect(try await account.server.login(ProvenAccount.mail).status == 200)
        }
    }

    @Test(arguments: [Change.mail, .password])
    func `Re-authenticating with the password allows all changes`(_ change: Change) async throws {
        let account = try await ProvenAccount()
        let token = try await open(.codeToPhone, account)
        expectRefusal(try await make(change, account, token))
        let new = try await account.authenticateAgain(token)
        #expect(try await make(change, account, new)["state"] == "success")
    }

    @Test(arguments: [Change.mail, .password])
    func `After entering a code sent to the other address, users can make any change`(_ change: Change)
        async throws
    {
        let account = try await ProvenAccount()
        let token = try await open(.codeToPhone, account)
        expectRefusal(try await make(change, account, token))
        let answer = try await account.server.enter(
            .login,
            with: ProvenAccount.mail,
            token: token,
            refresh: true
        )
        let new = try #require(answer["session_token"]?.text)
        #expect(try await make(change, account, new)["state"] == "success")
    }

    @Test func `Entering a second code that was sent to the same address doesn't allow more changes`()
        async throws
    {
        let account = try await ProvenAccount()
        let token = try await open(.codeToPhone, account)
        let answer = try await account.server.enter(
            .login,
            with: ProvenAccount.phone,
            token: token,
            refresh: true
        )
        let new = try #require(answer["session_token"]?.text)
        expectRefusal(try await make(.mail, account, new))
        expectRefusal(try await make(.password, account, new))
    }

    @Test
    func `After a session has stopped being privileged, re-authentication replaces its earlier evidence`()
        async throws
    {
        let account = try await ProvenAccount()
        let token = try await open(.password, account)
        account.server.time.advance(by: .seconds(3600))
        let answer = try await account.server.enter(
            .login,
            with: ProvenAccount.phone,
            token: token,
            refresh: true
        )
        let new = try #require(answer["session_token"]?.text)
        expectRefusal(try await make(.mail, account, new))
        expectRefusal(try await make(.password, account, new))
        #expect(try await make(.phone, account, new)["state"] == "success")
    }

    @Test(arguments: Opening.allCases, Change.allCases)
    func `Changes aren't allowed an hour after the login`(_ opening: Opening, _ change: Change) async throws {
        let account = try await ProvenAccount()
        let token = try await open(opening, account)
        account.server.time.advance(by: .seconds(3600))
        let answer = try await make(change, account, token)
        #expect(answer.status == 403)
        #expect(answer.errorID == .sessionRefreshRequired)
    }

    @Test func `An unverified address can be removed`() async throws {
        let account = try await ProvenAccount(proving: [ProvenAccount.phone])
        let token = try await open(.codeToPhone, account)
        #expect(try await make(.mail, account, token)["state"] == "success")
    }

    @Test func `A user can't remove both addresses at the same time`() async throws {
        let account = try await ProvenAccount()
        let token = try await open(.codeToPhone, account)
        let traits = ProvenAccount.traits(mail: ProvenAccount.newMail, phone: ProvenAccount.newPhone)
        expectRefusal(try await account.server.change(traits: traits, token: token))
    }

    @Test func `Users who logged in with a code can set their first password and add an address`()
        async throws
    {
        let server = try await SelfServiceServer(schema: "reader")
        let flow = await server.begin(.registration)
        _ = try await server.submitCode(
            .registration,
            flow,
            ["traits": .object(["email": "reader@example.org"])]
        )
        let code = JSONValue.string(try await server.code(for: "reader@example.org"))
        _ = try await server.submitCode(.registration, flow, ["code": code])
        let token = try #require(
            try await server.enter(.login, with: "reader@example.org")["session_token"]?.text
        )
        let both: [String: JSONValue] = ["email": "reader@example.org", "phone": "+46708888888"]
        #expect(try await server.change(traits: both, token: token)["state"] == "success")
        #expect(
            try await server.change(password: ProvenAccount.newPassword, token: token)["state"] == "success"
        )
        #expect(try await server.login("+46708888888", ProvenAccount.newPassword).status == 200)
        // The account has a password now, which can't be replaced with just a code.
        expectRefusal(try await server.change(password: "another-Long-pass-2", token: token))
    }

    @Test func `A verified address can't be removed even if the schema doesn't require it`() async throws {
        let server = try await SelfServiceServer(schema: "reader")
        let flow = await server.begin(.registration)
        let both: JSONValue = .object(["email": "reader@example.org", "phone": "+46708888888"])
        _ = try await server.submitCode(.registration, flow, ["traits": both])
        let code = JSONValue.string(try await server.code(for: "reader@example.org"))
        let first = try await server.submitCode(.registration, flow, ["code": code])
        let mine = try #require(first["session_token"]?.text)
        _ = try await server.enter(.verification, with: "+46708888888", token: mine)
        let token = try #require(try await server.enter(.login, with: "+46708888888")["session_token"]?.text)
        expectRefusal(try await server.change(traits: ["phone": "+46708888888"], token: token))
        #expect(
            try await server.change(traits: ["email": "reader@example.org"], token: token)["state"]
                == "success"
        )
    }
}
