import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Recovery codes created by an operator` {
    private let server: AdminServer

    init() async throws {
        server = try await AdminServer()
    }

    private func make(_ body: String) async -> Answer {
        await server.send(.post, "/admin/recovery/code", body)
    }

    private func flow(_ made: Answer) throws -> String {
        try #require(made["recovery_link"]?.text?.split(separator: "=").last.map(String.init))
    }

    @Test func `A code gives access to the account once and doesn't verify any address`() async throws {
        let id = try await server.id(1, AdminServer.password)
        let made = await make(#"{"identity_id": "\#(id)"}"#)
        #expect(made.status == 201)
        let code = try #require(made["recovery_code"])
        let flow = try flow(made)

        let shown = await server.people.get("/self-service/recovery/flows?id=\(flow)")
        #expect((shown.status, shown["state"]) == (200, "sent_email"))
        let wrong = SelfServiceServer.wrong(code.text ?? "")
        #expect(
            try await server.people.submitCode(.recovery, flow, ["code": wrong]).messages == [
                .wrongRecoveryCode
            ]
        )
        let done = try await server.people.submitCode(.recovery, flow, ["code": code])
        #expect(done["state"] == "passed_challenge")
        let again = try await server.people.submitCode(.recovery, flow, ["code": code])
        #expect(again["state"] != "passed_challenge")

        let identity = await server.send(.get, "/admin/identities/\(id)")
        guard case .array(let addresses)? = identity["verifiable_addresses"] else { return }
        #expect(addresses.allSatisfy { $0["verified"] == .bool(false) })
        #expect(try await server.actions(id) == ["identity.created", "recovery.code"])
    }

    @Test func `A code removes the credentials that were set before the account was confirmed`() async throws
    {
        let registered = try await server.people.register()
        let id = try #require(registered["identity"]?["id"]?.text.flatMap { Identifier($0) })
        let now = server.people.time.now
        try await server.database.transaction { transaction in
            let credential = Credential(
                id: Identifier(random: SystemRandom()),
                of: id,
                method: "answer",
                secret: [1],
                createdAt: now
            )
            try CredentialRepository.insert(credential, in: transaction)
        }
        let made = await make(#"{"identity_id": "\#(id)"}"#)
        let code = try #require(made["recovery_code"])
        let done = try await server.people.submitCode(.recovery, try flow(made), ["code": code])
        #expect(done["state"] == "passed_challenge")
        #expect(try await server.people.count("passwords") == 0)
        #expect(try await server.database.rows("SELECT 1 FROM credentials").isEmpty)
    }

    @Test func `A code confirms the account, so the next one keeps the credentials`() async throws {
        let registered = try await server.people.register()
        let id = try #require(registered["identity"]?["id"]?.text.flatMap { Identifier($0) })
        #expect(try await server.people.identity(id).confirmedAt == nil)

        let first = await make(#"{"identity_id": "\#(id)"}"#)
        let code = try #require(first["recovery_code"])
        let done = try await server.people.submitCode(.recovery, try flow(first), ["code": code])
        #expect(try await server.people.identity(id).confirmedAt == server.people.time.now)
        let password = "fresh-Start-pass-1"
        let changed = try await server.people.change(password: password, token: done.sessionToken)
        #expect(changed.status == 200, "\(changed.body)")

        let second = await make(#"{"identity_id": "\#(id)"}"#)
        let next = try #require(second["recovery_code"])
        _ = try await server.people.submitCode(.recovery, try flow(second), ["code": next])
        #expect(try await server.people.login("person1@example.org", password).status == 200)
    }

    /// An account for which wrong passwords were entered from the user's network and from another one.
    private func waiting() async throws -> String {
        let id = try await server.id(1, AdminServer.password)
        for host in ["192.0.2.1", "203.0.113.1"] {
            for _ in 0..<6 {
                _ = try await server.people.login("person1@example.org", "wrong", from: host)
            }
            #expect(try await server.people.login(from: host).status == 429)
        }
        return id
    }

    @Test func `An operator's code ends the wait after wrong passwords on its network only`() async throws {
        let made = await make(#"{"identity_id": "\#(try await waiting())"}"#)
        let code = try #require(made["recovery_code"])
        let done = try await server.people.submitCode(.recovery, try flow(made), ["code": code])
        #expect(done["state"] == "passed_challenge")
        #expect(try await server.people.login(from: "192.0.2.1").status == 200)
        #expect(try await server.people.login(from: "203.0.113.1").status == 429)
    }

    @Test func `A new password from the operator ends the waits on all networks`() async throws {
        let id = try await waiting()
        let body = AdminServer.body(
            1,
            #""credentials":{"password":{"config":{"password":"another-Horse-7-x"}}}"#
        )
        #expect(await server.send(.put, "/admin/identities/\(id)", body).status == 200)
        for host in ["192.0.2.1", "203.0.113.1"] {
            let answer = try await server.people.login("person1@example.org", "another-Horse-7-x", from: host)
            #expect(answer.status == 200, "\(answer.body)")
        }
    }

    @Test(arguments: [("1h", 3600), ("1m30s", 90), ("500ms", 0)])
    func `A code expires after the time that the operator requests`(text: String, seconds: Int64) async throws
    {
        let id = try await server.id(1)
        let made = await make(#"{"identity_id": "\#(id)", "expires_in": "\#(text)", "flow_type": "api"}"#)
        let end = try #require(made["expires_at"]?.text.flatMap { Timestamp(rfc3339: $0) })
        #expect((end - server.people.time.now).components.seconds == (seconds == 0 ? 0 : seconds - 1))

        server.people.time.advance(by: .seconds(seconds) + .seconds(1))
        let late = try await server.people.submitCode(
            .recovery,
            try flow(made),
            ["code": made["recovery_code"] ?? .null]
        )
        #expect(late.status == 410)
    }

    @Test(arguments: [
        ("{}", 404), (#"{"identity_id": "9a8cbfb3-87bd-4087-b48d-2569b1b43386"}"#, 404), ("[]", 400),
        (#"{"identity_id": "ID", "expires_in": "x"}"#, 400),
        (#"{"identity_id": "ID", "expires_in": "-1h"}"#, 400),
        (#"{"identity_id": "ID", "expires_in": "0s"}"#, 400),
        (#"{"identity_id": "ID", "expires_in": "721h"}"#, 400),
        (#"{"identity_id": "ID", "expires_in": "1"}"#, 400),
        (#"{"identity_id": "ID", "expires_in": 5}"#, 400), (#"{"identity_id": "x"}"#, 400),
        (#"{"identity_id": 5}"#, 400), (#"{"identity_id": "ID", "flow_type": "x"}"#, 400),
        (#"{"identity_id": "ID", "flow_type": ""}"#, 400), (#"{"identity_id": "ID", "flow_type": 5}"#, 400),
        (#"{"identity_id": "ID", "expires": "1h"}"#, 400),
    ])
    func `A request with an invalid body doesn't create a code`(body: String, status: Int) async throws {
        let id = try await server.id(1)
        #expect(await make(body.replacing("ID", with: id)).status == status)
        #expect(try await server.people.count("flows") == 0)
        #expect(try await server.actions(id) == ["identity.created"])
    }

    @Test(arguments: [
        (nil, "https://id.example.com/a/self-service/recovery/flows?id=FLOW&flow=FLOW"),
        ("https://app.example.com/recovery", "https://app.example.com/recovery?flow=FLOW"),
        ("https://app.example.com/?page=recovery", "https://app.example.com/?page=recovery&flow=FLOW"),
    ])
    func `The recovery link points to the recovery page of the operator's app`(page: String?, link: String)
        async throws
    {
        let server = try await AdminServer { $0.recovery.page = page }
        let id = try await server.id(1)

        for kind in ["api", "browser"] {
            let body = #"{"identity_id": "\#(id)", "flow_type": "\#(kind)"}"#
            let made = await server.send(.post, "/admin/recovery/code", body)

            let found = try #require(made["recovery_link"]?.text)
            let flow = try #require(found.split(separator: "=").last.map(String.init))
            #expect(found == link.replacing("FLOW", with: flow))
            let shown = await server.people.get("/self-service/recovery/flows?id=\(flow)")
            #expect(shown["state"] == "sent_email")
        }
    }

    @Test func `A code doesn't give access to a disabled account`() async throws {
        let id = try await server.id(1)
        let made = await make(#"{"identity_id": "\#(id)"}"#)
        let close = #"[{"op": "replace", "path": "/state", "value": "inactive"}]"#
        _ = await server.send(.patch, "/admin/identities/\(id)", close)

        let answer = try await server.people.submitCode(
            .recovery,
            try flow(made),
            ["code": made["recovery_code"] ?? .null]
        )
        #expect(answer["state"] != "passed_challenge")
        #expect(try await server.people.count("sessions") == 0)
    }

    @Test func `A code of a disabled account neither confirms it nor removes its password`() async throws {
        let registered = try await server.people.register()
        let id = try #require(registered["identity"]?["id"]?.text.flatMap { Identifier($0) })
        let made = await make(#"{"identity_id": "\#(id)"}"#)
        let code = try #require(made["recovery_code"])
        let close = #"[{"op": "replace", "path": "/state", "value": "inactive"}]"#
        _ = await server.send(.patch, "/admin/identities/\(id)", close)

        _ = try await server.people.submitCode(.recovery, try flow(made), ["code": code])

        #expect(try await server.people.count("passwords") == 1)
        #expect(try await server.people.identity(id).confirmedAt == nil)
    }
}
