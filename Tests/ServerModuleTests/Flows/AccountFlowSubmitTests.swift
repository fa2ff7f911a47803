import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Submitting a settings, recovery or verification flow` {
    private static let kinds: [(FlowKind, MessageID)] = [
        (.settings, .noSettingsStrategy), (.recovery, .noRecoveryStrategy),
        (.verification, .noVerificationStrategy),
    ]

    /// A user who submits flows of one kind, and who is logged in if that kind requires it.
    private struct FlowUser {
        let server: SelfServiceServer
        let kind: FlowKind
        let token: String?

        init(_ kind: FlowKind, _ change: (inout ServerConfiguration) -> Void = { _ in }) async throws {
            server = try await SelfServiceServer(change)
            self.kind = kind
            token = kind == .settings ? try await Self.register(server) : nil
        }

        /// Registers with a code, because this works even if passwords are disabled.
        private static func register(_ server: SelfServiceServer) async throws -> String {
            let flow = await server.begin(.registration)
            var members = ["traits": SelfServiceServer.traits()]
            _ = try await server.submitCode(.registration, flow, members)
            members["code"] = .string(try await server.code(for: "person1@example.org"))
            let answer = try await server.submitCode(.registration, flow, members)
            return try #require(answer["session_token"]?.text)
        }

        func begin() async -> String {
            await server.begin(kind, token: token)
        }

        func submit(_ flow: String, _ body: JSONValue, headers: HTTP.Headers = [:]) async throws -> Answer {
            try await server.submit(kind, flow, body, token: token, headers: headers)
        }
    }

    @Test(arguments: kinds.map(\.0))
    func `A submission without a valid flow id is rejected`(_ kind: FlowKind) async throws {
        let user = try await FlowUser(kind)
        for (query, status) in [
            ("", 400), ("?flow=", 400), ("?flow=zz", 400),
            ("?flow=00000000-0000-4000-8000-000000000000", 404),
        ] {
            let path = "/self-service/\(kind.rawValue)\(query)"
            let answer = try await user.server.post(path, .object([:]), token: user.token)
            #expect(answer.status == status)
            #expect(answer["error"]?["code"] == .integer(Int64(status)))
            #expect(answer.errorID == nil)
        }
    }

    @Test(arguments: kinds)
    func `A submission without a method is rejected`(_ kind: FlowKind, _ message: MessageID) async throws {
        let user = try await FlowUser(kind)
        for body: JSONValue in [
            .object([:]), .object(["method": "frob"]), .object(["method": .integer(5)]),
        ] {
            let flow = await user.begin()
            let answer = try await user.submit(flow, body)
            #expect(answer.status == 400)
            #expect(answer.messages == [message])
            #expect(answer["id"]?.text == flow)
        }
    }

    @Test(arguments: [
        (FlowKind.settings, "password"), (.settings, "oidc"), (.settings, "code"), (.recovery, "password"),
        (.recovery, "oidc"), (.recovery, "profile"), (.verification, "oidc"), (.verification, "profile"),
    ])
    func `Submitting a disabled method returns 404`(_ kind: FlowKind, _ method: String) async throws {
        let user = try await FlowUser(kind) { $0.passwords.isLoginEnabled = method != "password" }
        let body = JSONValue.object(["method": .string(method), "password": "another-Good-pass-9"])
        let answer = try await user.submit(await user.begin(), body)
        #expect(answer.status == 404)
        #expect(answer["error"]?["code"] == .integer(404))
    }

    @Test(arguments: kinds.map(\.0))
    func `A submission from a browser is rejected`(_ kind: FlowKind) async throws {
        let user = try await FlowUser(kind)
        let body = JSONValue.object(["method": "code", "email": "person1@example.org"])
        for headers: HTTP.Headers in [["Origin": "https://example.org"], ["Cookie": "a=b"]] {
            let answer = try await user.submit(await user.begin(), body, headers: headers)
            #expect(answer.status == 400)
            #expect(answer.messages == [.validation])
            #expect(answer["ui"]?["nodes"] != nil)
        }
        await user.server.messagesAreSent()
        let sent = user.server.inbox.messages(for: "person1@example.org").map(\.template)
        #expect(!sent.contains("\(kind.rawValue)_code_valid"))
    }

    @Test(arguments: kinds.map(\.0))
    func `Validation errors are stored in the flow`(_ kind: FlowKind) async throws {
        let user = try await FlowUser(kind)
        let flow = await user.begin()
        let answer = try await user.submit(
            flow,
            .object([
                "method": kind == .settings ? "profile" : "code", "email": "no-at",
                "traits": .object(["email": "no-at", "phone": "+46701000001"]),
            ])
        )
        let field = kind == .settings ? "traits.email" : "email"
        #expect(answer.status == 400)
        #expect(answer.messages(field) == [.invalidEmail])
        let path = "/self-service/\(kind.rawValue)/flows?id=\(flow)"
        let shown = await user.server.get(path, token: user.token)
        #expect(shown.messages == answer.messages)
        #expect(shown.messages(field) == [.invalidEmail])
        #expect(shown.value(field) == nil)
        #expect(shown.value("traits.phone") == answer.value("traits.phone"))
        // A response only contains the messages for its own submission.
        #expect(try await user.submit(flow, .object([:])).messages(field).isEmpty)
    }
}
