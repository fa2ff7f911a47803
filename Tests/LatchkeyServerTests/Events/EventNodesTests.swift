import Foundation
import LatchkeyAccounts
import LatchkeyCurl
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import TestProcesses
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Session events across nodes` {
    private let folder = TemporaryFolder()

    /// Starts a node that uses the first node's keys.
    private func node(_ name: String, _ database: String) async throws -> IdentityServer {
        if name != "first" { try copyKeys(to: name) }
        var configuration = ServerConfiguration(data: folder.path + "/" + name)
        configuration.database = Secret(database)
        configuration.port = 0
        configuration.admin.port = 0
        configuration.schemas.standard = "person"
        configuration.registration.sendsVerification = false
        configuration.passwords.threads = 1
        configuration.passwords.memory = 8
        configuration.passwords.passes = 1
        let time = VirtualTime()
        let server = IdentityServer(
            configuration: configuration,
            parts: ServerParts(
                time: time,
                random: SystemRandom(),
                log: Log(.error, time: time, to: { _ in }),
                terminal: { _ in }
            )
        )
        try await server.start()
        return server
    }

    /// Copies the first node's keys.
    private func copyKeys(to name: String) throws {
        try FileManager.default.createDirectory(
            atPath: folder.file(name),
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        for file in ["secrets", "ca.key", "ca.pem"] {
            try FileManager.default.copyItem(
                atPath: folder.file("first/\(file)"),
                toPath: folder.file("\(name)/\(file)")
            )
        }
    }

    /// Registers a user and returns the session token.
    private func register(at url: String) async throws -> String {
        let client = try FlowClient(url)
        let flow = try #require(await client.begin("registration"))
        let answer = await client.submit(
            "registration",
            flow,
            .object([
                "method": "password", "password": "correct-Horse-7-battery",
                "traits": .object(["email": "user@example.org", "phone": "+46701000001"]),
            ])
        )
        return try #require(answer?["session_token"]?.text)
    }

    /// Reads a session's events over a socket until the stream ends.
    private func follow(_ token: String, at url: String) async throws -> HTTP.ResponseBody {
        let request = HTTP.Request(
            .get,
            "/a" + Route.sessionEvents,
            headers: ["X-Session-Token": token, "Accept": ServerSentEvent.mediaType]
        )
        let answer = try await CurlTransport()
            .stream(request, upload: nil, to: url, limits: RequestLimits())
        try #require(answer.status == 200)
        return answer.body
    }

    private func logOut(_ token: String, at url: String) async throws {
        let request = HTTP.Request(
            .delete,
            "/a" + Route.logout,
            headers: ["Content-Type": "application/json"],
            body: Array(#"{"session_token":"\#(token)"}"#.utf8)
        )
        try #require(try await CurlTransport().send(request, to: url).status == 204)
    }

    @Test func `A revocation on one node is delivered to a device on another node`() async throws {
        let database = try await PostgresPool.shared.makeBare()
        let first = try await node("first", database)
        let second = try await node("second", database)
        let (url, other) = (try #require(first.url), try #require(second.url))
        let token = try await register(at: url)

        var parser = ServerSentEventParser()
        var types: [String] = []
        for try await part in try await follow(token, at: other) {
            let events = try parser.parse(part)
            if types.isEmpty, !events.isEmpty { try await logOut(token, at: url) }
            types += events.map(\.type)
        }

        #expect(types == ["state", "session_ended"])
        await first.stop()
        await second.stop()
    }

    @Test
    func `A revocation that a disconnected node missed is delivered once it has reconnected`()
        async throws
    {
        let database = try await PostgresPool.shared.makeBare()
        let first = try await node("first", database)
        let second = try await node("second", database)
        let (url, other) = (try #require(first.url), try #require(second.url))
        let token = try await register(at: url)

        var parser = ServerSentEventParser()
        var types: [String] = []
        for try await part in try await follow(token, at: other) {
            let events = try parser.parse(part)
            if types.isEmpty, !events.isEmpty {
                // The notification may be sent before or after the connection is open again.
                for _ in 1...3 {
                    try await PostgresPool.shared.breakConnections(toBare: database)
                }
                try await logOut(token, at: url)
            }
            types += events.map(\.type)
        }

        #expect(types == ["state", "session_ended"])
        await first.stop()
        await second.stop()
    }

    @Test func `Streams end cleanly when their node stops`() async throws {
        let database = try await PostgresPool.shared.makeBare()
        let first = try await node("first", database)
        let url = try #require(first.url)
        let token = try await register(at: url)

        var parser = ServerSentEventParser()
        var types: [String] = []
        var stopping: Task<Void, Never>?
        // An interrupted stream would throw an error.
        for try await part in try await follow(token, at: url) {
            types += try parser.parse(part).map(\.type)
            if stopping == nil, !types.isEmpty { stopping = Task { await first.stop() } }
        }

        #expect(types == ["state"])
        await stopping?.value
    }
}
