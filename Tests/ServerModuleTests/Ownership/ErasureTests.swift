import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite("Deleting an identity", .onEachDatabase)
struct ErasureTests {
    private static let tables: [(name: String, sql: SQL)] = [
        ("messages", "SELECT * FROM messages"), ("flows", "SELECT * FROM flows"),
        ("codes", "SELECT * FROM codes"), ("limits", "SELECT * FROM limits"),
        ("known_networks", "SELECT * FROM known_networks"),
        ("address_states", "SELECT * FROM address_states"),
        ("addresses", "SELECT * FROM addresses"), ("identifiers", "SELECT * FROM identifiers"),
        ("identities", "SELECT * FROM identities"), ("sessions", "SELECT * FROM sessions"),
        ("audit", "SELECT * FROM audit"),
    ]

    /// Returns the names of the tables that contain any of the strings in any column, ignoring case.
    private func tables(_ server: SelfServiceServer, with texts: [String]) async throws -> [String] {
        var found: [String] = []
        for (name, sql) in Self.tables {
            let rows = try await server.resources.database.rows(sql)
            let holds = rows.contains { row in
                (0..<40).contains { column in
                    let bytes =
                        (try? row.text(column)).map { Array($0.utf8) } ?? (try? row.blob(column)) ?? []
                    let content = String(decoding: bytes, as: UTF8.self).lowercased()
                    return texts.contains { content.contains($0.lowercased()) }
                }
            }
            if holds { found.append(name) }
        }
        return found
    }

    /// Performs every action that stores one of the account's addresses.
    private func use(_ account: ProvenAccount) async throws {
        let server = account.server
        for kind in [FlowKind.login, .recovery, .verification] {
            _ = try await server.requestCode(kind, to: ProvenAccount.mail)
        }
        _ = try await server.requestCode(.login, to: ProvenAccount.phone)
        _ = await server.begin(.settings, token: account.token)
        // Other clients submit the addresses too: with a wrong password, in a registration that is rejected,
        // and in a registration that is still waiting for its code.
        _ = try await server.login(ProvenAccount.mail, "wrong-Horse-7", from: "203.0.113.1")
        _ = try await server.register(1)
        let flow = await server.begin(.registration)
        await server.messagesAreSent()
        server.time.advance(by: .seconds(31))
        _ = try await server.submitCode(.registration, flow, ["traits": SelfServiceServer.traits()])
        _ = try await server.change(password: ProvenAccount.newPassword, token: account.token)
        await server.messagesAreSent()
    }

    @Test func `Addresses are deleted from all tables`() async throws {
        let account = try await ProvenAccount()
        try await use(account)
        let texts = [ProvenAccount.mail, ProvenAccount.phone]
        let before = try await tables(account.server, with: texts)
        #expect(
            before == [
                "messages", "flows", "codes", "address_states", "addresses", "identifiers", "identities",
            ]
        )
        #expect(await account.operate(.delete).status == 204)
        let left = try await tables(account.server, with: texts)
        #expect(left == [])
        #expect(
            try await account.server.resources.database.rows("SELECT network FROM known_networks").isEmpty
        )
    }

    @Test func `Other spellings of the addresses are deleted from all tables`() async throws {
        let account = try await ProvenAccount { $0.registration.style = .profileFirst }
        let server = account.server
        let mail = ProvenAccount.mail.uppercased()
        _ = try await server.login(" " + mail, "wrong-Horse-7", from: "203.0.113.1")
        let traits = JSONValue.object(["email": .string(mail), "phone": "+46701999999"])
        for members: [String: JSONValue] in [
            ["method": "profile", "traits": traits],
            ["method": "profile", "traits": .object(["email": .string(mail)])],
        ] {
            _ = try await server.submit(.registration, await server.begin(.registration), .object(members))
        }
        let phone = ProvenAccount.phone.map { String($0) }.joined(separator: " ")
        let unfinished = JSONValue.object(["email": "no-at", "phone": .string(phone)])
        for method in ["password", "profile"] {
            let members: [String: JSONValue] = ["method": .string(method), "traits": unfinished]
            _ = try await server.submit(.registration, await server.begin(.registration), .object(members))
        }
        let before = try await tables(server, with: [mail])
        #expect(before.contains("flows"))
        #expect(await account.operate(.delete).status == 204)
        let left = try await tables(server, with: [mail, ProvenAccount.phone, phone])
        #expect(left == [])
    }

    @Test func `Addresses that were replaced earlier are deleted from all tables`() async throws {
        let account = try await ProvenAccount()
        let traits = ProvenAccount.traits(mail: ProvenAccount.newMail)
        _ = try await account.server.change(traits: traits, token: account.token)
        await account.server.messagesAreSent()
        #expect(await account.operate(.delete).status == 204)
        let texts = [ProvenAccount.mail, ProvenAccount.phone, ProvenAccount.newMail]
        let left = try await tables(account.server, with: texts)
        #expect(left == [])
    }

    @Test func `Deleting an identity doesn't affect other identities`() async throws {
        let account = try await ProvenAccount()
        let other = try #require(try await account.server.register(12)["session_token"]?.text)
        let flow = try await account.server.requestCode(.login, to: "person12@example.org")
        let code = JSONValue.string(try await account.server.code(for: "person12@example.org"))
        #expect(await account.operate(.delete).status == 204)
        #expect(await account.server.isAlive(other))
        #expect(try await account.server.submitCode(.login, flow, ["code": code]).status == 200)
    }

    @Test func `Messages that are still queued when an identity is deleted are never delivered`() async throws
    {
        let account = try await ProvenAccount()
        let server = account.server
        await server.messagesAreSent()
        let before = [ProvenAccount.mail, ProvenAccount.phone].map { server.inbox.messages(for: $0).count }
        server.inbox.fail(.failed)
        _ = try await server.change(password: ProvenAccount.newPassword, token: account.token)
        await server.messagesAreSent()
        let waiting: SQL = "SELECT id FROM messages WHERE status = 'queued'"
        #expect(try await server.resources.database.rows(waiting).count == 2)
        #expect(await account.operate(.delete).status == 204)
        #expect(try await server.resources.database.rows(waiting).isEmpty)
        server.inbox.fail(nil)
        server.time.advance(by: .seconds(3600))
        // A message that was sent to another account shows that the courier is still working.
        try await server.register(2)
        _ = try await server.requestCode(.login, to: "person2@example.org")
        await server.messagesAreSent()
        #expect(
            [ProvenAccount.mail, ProvenAccount.phone].map { server.inbox.messages(for: $0).count } == before
        )
    }

    @Test func `The audit log keeps the identity's id and a keyed hash of its addresses`() async throws {
        let account = try await ProvenAccount()
        #expect(await account.operate(.delete).status == 204)
        let events = try await AuditLog.events(
            of: account.id,
            limit: 100,
            in: account.server.resources.database
        )
        let deletion = try #require(events.first)
        #expect(deletion.action == .deleted)
        #expect(deletion.actor == .operator)
        let subject = try #require(deletion.subject)
        #expect(subject.hasPrefix("identifiers:"))
        #expect(subject.utf8.count >= "identifiers:".utf8.count + 43)
        #expect(!subject.contains("person1") && !subject.contains("46701000001"))
    }

    @Test func `Rate limits on the addresses are kept, but their owner can sign up again`()
        async throws
    {
        let account = try await ProvenAccount()
        let server = account.server
        _ = try await server.requestCode(.login, to: ProvenAccount.mail)
        await server.messagesAreSent()
        #expect(await account.operate(.delete).status == 204)
        let flow = await server.begin(.registration)
        let early = try await server.submitCode(.registration, flow, ["traits": SelfServiceServer.traits()])
        #expect(early.status == 429)
        server.time.advance(by: .seconds(31))
        let sent = try await server.submitCode(.registration, flow, ["traits": SelfServiceServer.traits()])
        #expect(sent["state"] == "sent_email")
        let code = JSONValue.string(try await server.code(for: ProvenAccount.mail))
        let answer = try await server.submitCode(.registration, flow, ["code": code])
        #expect(answer.status == 200)
        #expect(answer["identity"]?["id"]?.text != account.id.description)
    }
}
