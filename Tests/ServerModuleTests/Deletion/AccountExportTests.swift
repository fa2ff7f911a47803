import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite("Users exporting their own account", .onEachDatabase)
struct AccountExportTests {
    private func export(_ account: ProvenAccount, token: String? = nil) async -> Answer {
        await account.server.get("/account/export", token: token ?? account.token)
    }

    private func decoded(_ answer: Answer) throws -> AccountExportBody {
        try JSONCoding.decode(AccountExportBody.self, from: answer.response.body)
    }

    @Test func `The export contains what the server stores about the account`() async throws {
        let account = try await ProvenAccount(proving: [ProvenAccount.mail])
        let other = try await account.logIn()
        _ = try await account.server.requestCode(.login, to: ProvenAccount.mail)
        _ = await account.server.begin(.login, "?refresh=true", token: account.token)
        let own = await account.server.get("/sessions/whoami", token: account.token)
        await account.server.messagesAreSent()
        account.server.time.advance(by: .seconds(1))

        let answer = await export(account)
        #expect(answer.status == 200)
        #expect(answer.response.headers["Cache-Control"] == "no-store")
        #expect(answer.response.headers["Content-Disposition"]?.hasPrefix("attachment") == true)
        let body = try decoded(answer)
        #expect(Timestamp(rfc3339: body.exportedAt) == account.server.time.now)
        #expect(body.identity.id == account.id.description)
        #expect(body.identity.traits == SelfServiceServer.traits())
        #expect(body.confirmedAt != nil)
        #expect(
            body.addresses.map { [$0.via, $0.value, $0.state] } == [
                ["sms", ProvenAccount.phone, "claimed"], ["email", ProvenAccount.mail, "proven"],
            ]
        )
        #expect(body.password != nil)
        #expect(body.knownNetworks.count == 1)
        #expect(body.sessions.count == 2)
        #expect(body.sessions.allSatisfy { $0.active && $0.identity == nil && $0.devices?.count == 1 })
        #expect(body.sessions.map(\.id).contains(own["id"]?.text ?? ""))
        #expect(await account.server.isAlive(other))
        #expect(body.messages.contains { $0.template == "verification_code_valid" && $0.status == "sent" })
        #expect(Set(body.messages.compactMap(\.recipient)) == [ProvenAccount.mail])
        #expect(body.tokenFamilies.isEmpty)
        #expect(body.flows.map(\.kind).contains("login"))
        #expect(Set(body.codes.map(\.address)) == [ProvenAccount.mail])
        #expect(body.events.first?.action == "account.exported")
        #expect(Set(body.events.map(\.action)).isSuperset(of: ["identity.created", "login"]))
        #expect(body.events.first { $0.action == "login" }?.ipAddress == "192.0.2.1")
    }

    @Test func `The export contains the token families of the account's sessions`() async throws {
        let account = try await ProvenAccount()
        let session = try #require(
            await account.server.get("/sessions/whoami", token: account.token)["id"]?.text
        )
        try await account.server.resources.database.transaction { transaction in
            for id in [Identifier(session), Identifier()] {
                _ = try transaction.execute(
                    """
                    INSERT INTO token_families (session_id, key_thumbprint, used, opened_at, used_at) \
                    VALUES ($1, $2, 0, 1, 2)
                    """,
                    .identifier(id),
                    .blob([1])
                )
            }
        }
        let body = try decoded(await export(account))
        #expect(body.tokenFamilies.map(\.sessionID) == [session])
    }

    @Test func `The export contains certificates`() async throws {
        let account = try await ProvenAccount()
        try await account.server.resources.database.transaction { transaction in
            _ = try transaction.execute(
                """
                INSERT INTO certificates (serial, session_id, identity_id, key_thumbprint, issued_at, not_after) \
                VALUES ($1, $2, $3, $1, 1, 2)
                """,
                .blob([1, 255]),
                .identifier(Identifier()),
                .identifier(account.id)
            )
        }
        let body = try decoded(await export(account))
        #expect(body.certificates.map(\.serialNumber) == ["01ff"])
        #expect(body.certificates.first?.keyThumbprint == "Af8")
        #expect(body.certificates.first?.revokedAt == nil)
    }

    @Test func `The export doesn't contain secrets or data about other people`() async throws {
        let account = try await ProvenAccount()
        let server = account.server
        try await server.register(2)
        _ = try await server.login(ProvenAccount.mail, "wrong-Horse-7", from: "203.0.113.1")
        let patch = #"[{"op": "add", "path": "/metadata_admin", "value": {"note": "internal"}}]"#
        #expect(await account.operate(.patch, "", patch).status == 200)
        let flow = try await server.requestCode(.login, to: ProvenAccount.mail)
        let code = try await server.code(for: ProvenAccount.mail)
        let hash = try #require(
            try await server.resources.database.rows(
                "SELECT hash FROM passwords WHERE identity_id = $1",
                .identifier(account.id)
            ).first
        ).text(0)

        let text = String(decoding: await export(account).response.body, as: UTF8.self)
        #expect(text.contains("login.failed") && text.contains("metadata.changed"))
        for secret in [
            account.token, code, flow, hash, SelfServiceServer.password, "internal", "203.0.113.1",
            "192.0.2.9", "person2",
        ] {
            #expect(!text.contains(secret), "\(secret)")
        }
    }

    @Test func `The export contains all sessions and events even if there are many`() async throws {
        let account = try await ProvenAccount()
        let server = account.server
        let count = 501
        let context = RequestContext(
            HTTP.Request(.get, "/"),
            from: PeerAddress(host: "192.0.2.1", port: 1),
            at: server.time.now
        )
        try await server.resources.database.transaction { transaction in
            for number in 0..<count {
                let opening = try NewSession(
                    of: account.id,
                    by: .password,
                    evidence: .password,
                    schema: nil,
                    for: context,
                    at: server.time.now,
                    settings: SessionSettings(),
                    random: SystemRandom()
                )
                try SessionRepository.insert(opening, in: transaction)
                let event = AuditEvent(
                    .loggedOut,
                    of: account.id,
                    by: .user,
                    about: "\(number)",
                    at: server.time.now,
                    random: SystemRandom()
                )
                try AuditLog.append(event, in: transaction)
            }
        }
        let body = try decoded(await export(account))
        #expect(body.sessions.count == count + 1)
        #expect(Set(body.sessions.map(\.id)).count == count + 1)
        let subjects = body.events.filter { $0.action == "logout" }.compactMap(\.subject)
        #expect(Set(subjects) == Set((0..<count).map(String.init)))
        #expect(subjects.count == count)
    }

    @Test func `Exporting an account requires a session with a recent login`() async throws {
        let account = try await ProvenAccount()
        let anonymous = await account.server.get("/account/export")
        #expect(anonymous.status == 401)
        #expect(anonymous.errorID == .sessionInactive)
        let current = try await account.authenticateAgain(account.token)
        #expect(await export(account).errorID == .sessionRefreshRequired)
        account.server.time.advance(by: SessionSettings().privilegedAge)
        let late = await export(account, token: current)
        #expect(late.status == 403)
        #expect(late.errorID == .sessionRefreshRequired)
        #expect(await export(account, token: try await account.logIn()).status == 200)
    }

    @Test func `Exports are limited per account`() async throws {
        let account = try await ProvenAccount {
            $0.limits.exportsPerAccount = [Rate(2, per: .seconds(86_400))]
        }
        for status in [200, 200, 429] { #expect(await export(account).status == status) }
        let actions = try await account.server.actions(of: account.id)
        #expect(actions.count { $0 == .exported } == 2)
    }
}
