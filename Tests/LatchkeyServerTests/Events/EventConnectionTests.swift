import LatchkeyAccounts
import LatchkeyCurl
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestProcesses
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Event streams and other connections` {
    private static let password = "correct-Horse-7-battery"
    private let folder = TemporaryFolder()

    private func server() async throws -> IdentityServer {
        var configuration = ServerConfiguration(data: folder.path + "/server")
        configuration.port = 0
        configuration.admin.port = 0
        configuration.connections.limit = 64
        configuration.connections.perAddress = 0
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

    /// Opens a stream, reads its first event, and keeps reading until it ends.
    private func follow(_ token: String, at url: String) async throws -> Task<Void, any Error> {
        let request = HTTP.Request(
            .get,
            "/a" + Route.sessionEvents,
            headers: ["X-Session-Token": token, "Accept": ServerSentEvent.mediaType]
        )
        let answer = try await CurlTransport().stream(request, upload: nil, to: url, limits: RequestLimits())
        try #require(answer.status == 200)
        return Task { for try await _ in answer.body {} }
    }

    private func streams(of server: IdentityServer) async throws -> String? {
        let token = try #require(server.adminToken)
        let request = HTTP.Request(.get, "/metrics", headers: ["Authorization": "Bearer " + token.exposed])
        let answer = try await CurlTransport().send(request, to: #require(server.adminURL))
        return String(decoding: answer.body, as: UTF8.self).split(separator: "\n")
            .first { $0.hasPrefix("latchkey_session_streams ") }.map { String($0.dropFirst(25)) }
    }

    @Test func `Accounts that open as many streams as they can leave half of the connections to others`()
        async throws
    {
        let server = try await server()
        let url = try #require(server.url)
        var streams: [Task<Void, any Error>] = []
        for account in 1...6 {
            let client = try FlowClient(url)
            let mail = "person\(account)@example.org"
            let flow = try #require(await client.begin("registration"))
            let registered = await client.submit(
                "registration",
                flow,
                .object([
                    "method": "password", "password": .string(Self.password),
                    "traits": .object([
                        "email": .string(mail), "phone": .string("+4670100000\(account)"),
                    ]),
                ])
            )
            var tokens = [try #require(registered?["session_token"]?.text)]
            for _ in 1...3 {
                let login = try #require(await client.begin("login"))
                let answer = await client.submit(
                    "login",
                    login,
                    .object([
                        "method": "password", "identifier": .string(mail), "password": .string(Self.password),
                    ])
                )
                tokens.append(try #require(answer?["session_token"]?.text))
            }
            for token in tokens {
                for _ in 1...4 { streams.append(try await follow(token, at: url)) }
            }
            // Another client, on a connection of its own.
            let alive = HTTP.Request(.get, "/health/alive")
            #expect(try await CurlTransport().send(alive, to: url).status == 200)
        }

        #expect(try await self.streams(of: server) == "32")
        for stream in streams { stream.cancel() }
        await server.stop()
    }
}
