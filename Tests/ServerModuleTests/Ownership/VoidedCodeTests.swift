import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite("Invalidated codes", .onEachDatabase)
struct VoidedCodeTests {
    /// The expected response to a wrong code.
    private static let wrongCode: [FlowKind: (status: Int, message: MessageID)] = [
        .login: (400, .wrongLoginCode), .recovery: (200, .wrongRecoveryCode),
        .verification: (200, .wrongVerificationCode),
    ]

    static let kinds: [FlowKind] = [.login, .recovery, .verification]

    /// A change that invalidates codes that were sent earlier.
    enum Change: CaseIterable, Sendable {
        case newMail, newPassword, recovery, operatorsTraits, operatorsPassword, passwordRemoval, disabling
    }

    private func make(_ change: Change, _ account: ProvenAccount) async throws {
        let server = account.server
        switch change {
        case .newMail:
            let traits = ProvenAccount.traits(mail: ProvenAccount.newMail)
            #expect(try await server.change(traits: traits, token: account.token)["state"] == "success")
        case .newPassword:
            let answer = try await server.change(password: ProvenAccount.newPassword, token: account.token)
            #expect(answer["state"] == "success")
        case .recovery:
            _ = try await account.open(.recovery, with: ProvenAccount.mail)
        case .operatorsTraits:
            let body = #"[{"op": "replace", "path": "/traits/email", "value": "new@example.org"}]"#
            #expect(await account.operate(.patch, "", body).status == 200)
        case .operatorsPassword:
            let body = AdminServer.body(1, AdminServer.password)
            #expect(await account.operate(.put, "", body).status == 200)
        case .passwordRemoval:
            #expect(await account.operate(.delete, "/credentials/password").status == 204)
        case .disabling:
            for state in ["inactive", "active"] {
                let body = #"[{"op": "replace", "path": "/state", "value": "\#(state)"}]"#
                #expect(await account.operate(.patch, "", body).status == 200)
            }
        }
    }

    private func expectWrong(_ answer: Answer, _ kind: FlowKind) throws {
        let expected = try #require(Self.wrongCode[kind])
        #expect(answer.status == expected.status)
        #expect(answer.messages == [expected.message])
        #expect(answer["state"] == "sent_email")
        #expect(answer.sessionToken == nil)
    }

    @Test(arguments: kinds)
    func `A code is treated as wrong if its address has been removed from the account`(
        _ kind: FlowKind
    )
        async throws
    {
        let account = try await ProvenAccount()
        let flow = try await account.server.requestCode(kind, to: ProvenAccount.mail)
        let code = JSONValue.string(try await account.server.code(for: ProvenAccount.mail))
        try await make(.newMail, account)
        try expectWrong(try await account.server.submitCode(kind, flow, ["code": code]), kind)
        #expect(try await account.server.provers(of: ProvenAccount.mail).isEmpty)
    }

    @Test(arguments: Change.allCases, kinds)
    func `A code is treated as wrong if the account has changed since the code was sent`(
        _ change: Change,
        _ kind: FlowKind
    ) async throws {
        let account = try await ProvenAccount()
        // We use the phone number because none of these changes affects it. Recovery codes are only sent by
        // e-mail.
        let address = kind == .recovery ? ProvenAccount.mail : ProvenAccount.phone
        let flow = try await account.server.requestCode(kind, to: address)
        let code = JSONValue.string(try await account.server.code(for: address))
        try await make(change, account)
        let sessions = try await account.server.count("sessions")
        try expectWrong(try await account.server.submitCode(kind, flow, ["code": code]), kind)
        #expect(try await account.server.count("sessions") == sessions)
    }

    @Test(arguments: kinds)
    func `An invalidated code can be guessed as often as any other code`(_ kind: FlowKind) async throws {
        let voided = try await guesses(kind) { try await make(.newPassword, $0) }
        let other = try await guesses(kind, isWrong: true) { _ in }
        #expect(voided == other)
        #expect(voided[0..<5].allSatisfy { $0 == voided[0] })
        #expect(voided[5] != voided[0])
    }

    /// Submits the same code six times, either the correct one or a wrong one.
    private func guesses(
        _ kind: FlowKind,
        isWrong: Bool = false,
        _ change: (ProvenAccount) async throws -> Void
    ) async throws -> [String] {
        let account = try await ProvenAccount()
        let flow = try await account.server.requestCode(kind, to: ProvenAccount.mail)
        let code = try await account.server.code(for: ProvenAccount.mail)
        try await change(account)
        var shapes: [String] = []
        for _ in 1...6 {
            let guess = isWrong ? SelfServiceServer.wrong(code) : .string(code)
            let answer = try await account.server.submitCode(kind, flow, ["code": guess])
            shapes.append(
                "\(answer.status) \(answer.errorID?.rawValue ?? "") \(answer.messages) \(answer.fields)"
            )
        }
        return shapes
    }

    @Test(arguments: Change.allCases)
    func `A code that is requested after the change gives access to the account`(_ change: Change)
        async throws
    {
        let account = try await ProvenAccount()
        try await make(change, account)
        #expect(try await account.server.enter(.login, with: ProvenAccount.phone).status == 200)
    }

    @Test func `A new password invalidates the operator's recovery code`() async throws {
        let account = try await ProvenAccount()
        let made = await account.admin.send(
            .post,
            "/admin/recovery/code",
            #"{"identity_id": "\#(account.id)"}"#
        )
        let flow = try #require(made["recovery_link"]?.text?.split(separator: "=").last.map(String.init))
        try await make(.newPassword, account)
        let answer = try await account.server.submitCode(
            .recovery,
            flow,
            ["code": made["recovery_code"] ?? .null]
        )
        #expect(answer["state"] != "passed_challenge")
        #expect(answer.sessionToken == nil)
        #expect(await account.server.isAlive(account.token))
    }

    @Test(arguments: ["password", "addresses", "recovery", "reclaim"])
    func `Changing the account invalidates the verification flows from its registration`(_ change: String)
        async throws
    {
        let claimed = try await ClaimedAccount()
        let server = claimed.server
        // A recovery reclaims an account that hasn't been confirmed yet.
        if change == "recovery" { _ = try await claimed.verifyInside(ClaimedAccount.mail) }
        let flow = try #require(claimed.verifications[ClaimedAccount.phone])
        let code = JSONValue.string(try await server.code(for: ClaimedAccount.phone))
        switch change {
        case "password":
            _ = try await server.change(password: ProvenAccount.newPassword, token: claimed.attackersToken)
        case "addresses":
            let traits: [String: JSONValue] = [
                "email": "new@example.org", "phone": .string(ClaimedAccount.phone),
            ]
            _ = try await server.change(traits: traits, token: claimed.attackersToken)
        default:
            _ = try await server.enter(.recovery, with: ClaimedAccount.mail)
        }
        let answer = try await server.submitCode(.verification, flow, ["code": code])
        #expect(answer.status == 410)
        #expect(answer.errorID == .flowReplaced)
        #expect(answer["use_flow_id"]?.text != nil)
        #expect(try await !claimed.identity().isProven(.attackersPhone))
    }

    @Test func `A settings flow can be used again after changing the password in it`() async throws {
        let claimed = try await SettingsClient()
        #expect(try await claimed.change(password: ProvenAccount.newPassword)["state"] == "success")
        #expect(try await claimed.change(["name": "Kari"])["state"] == "success")
        #expect(try await claimed.change(password: "another-Long-pass-2")["state"] == "success")
    }

    @Test func `A settings flow can be used again after changing an address in it`() async throws {
        let claimed = try await SettingsClient()
        #expect(try await claimed.change(["email": "new@example.org"])["state"] == "success")
        #expect(try await claimed.change(password: ProvenAccount.newPassword)["state"] == "success")
    }

    @Test func `Changing the password in one settings flow leaves the caller's other flows open`()
        async throws
    {
        let claimed = try await SettingsClient()
        let answer = try await claimed.server.change(
            password: ProvenAccount.newPassword,
            token: claimed.token
        )
        #expect(answer["state"] == "success")
        #expect(try await claimed.change(["name": "Kari"])["state"] == "success")
    }

    @Test func `Changing other traits doesn't affect codes and flows`() async throws {
        let account = try await ProvenAccount()
        let flow = try await account.server.requestCode(.login, to: ProvenAccount.phone)
        let code = JSONValue.string(try await account.server.code(for: ProvenAccount.phone))
        var traits = ProvenAccount.traits()
        traits["name"] = "Kari"
        _ = try await account.server.change(traits: traits, token: account.token)
        #expect(try await account.server.submitCode(.login, flow, ["code": code]).status == 200)
    }
}
