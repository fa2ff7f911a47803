import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestProcesses
import Testing

@testable import LatchkeyServer

@Suite struct `Identity server` {
    private let folder = TemporaryFolder()

    private func configuration() -> ServerConfiguration {
        var configuration = ServerConfiguration(data: folder.path + "/data")
        configuration.port = 0
        configuration.admin.port = 0
        configuration.passwords.threads = 1
        configuration.passwords.memory = 8
        configuration.passwords.passes = 1
        configuration.logLevel = .error
        return configuration
    }

    private func parts(_ time: VirtualTime = VirtualTime()) -> ServerParts {
        ServerParts(
            time: time,
            random: SystemRandom(),
            log: Log(.error, time: time, to: { _ in }),
            terminal: { _ in }
        )
    }

    private func status(_ path: String, of server: IdentityServer) async -> Int {
        await server.handler.respond(to: HTTP.Request(.get, path), from: .inProcess).status
    }

    @Test func `The server handles requests from its start until it is stopped`() async throws {
        let server = IdentityServer(configuration: configuration(), parts: parts())
        #expect(await status(Route.ready, of: server) == 503)
        #expect(server.url == nil)

        try await server.start()

        #expect(await status(Route.ready, of: server) == 200)
        #expect(await status("/a" + Route.loginInit, of: server) == 200)
        #expect(server.url?.hasPrefix("http://127.0.0.1:") == true)
        #expect(server.adminURL?.hasPrefix("http://127.0.0.1:") == true)
        #expect(server.url != server.adminURL)

        await server.stop()

        #expect(await status(Route.ready, of: server) == 503)
        #expect(server.url == nil)
    }

    @Test func `The server publishes the URL that the operator has set`() async throws {
        var configuration = configuration()
        configuration.url = "https://id.example.com"
        configuration.basePath = "/kratos"
        let server = IdentityServer(configuration: configuration, parts: parts())
        try await server.start()

        let response = await server.handler.respond(
            to: HTTP.Request(.get, "/kratos" + Route.loginInit),
            from: .inProcess
        )
        let flow = try JSONCoding.decode(FlowBody.self, from: response.body)

        #expect(flow.ui.action.hasPrefix("https://id.example.com/kratos/self-service/login?flow="))
        await server.stop()
    }

    @Test func `Data and keys survive a restart`() async throws {
        let first = IdentityServer(configuration: configuration(), parts: parts())
        try await first.start()
        let response = await first.handler.respond(
            to: HTTP.Request(.get, "/a" + Route.loginInit),
            from: .inProcess
        )
        let flow = try JSONCoding.decode(FlowBody.self, from: response.body)
        await first.stop()

        let second = IdentityServer(configuration: configuration(), parts: parts())
        try await second.start()
        let again = await second.handler.respond(
            to: HTTP.Request(.get, "/a" + Route.loginGet, query: "id=\(flow.id)"),
            from: .inProcess
        )

        // The flow's id is authenticated with the secrets and is not stored.
        #expect(again.status == 200)
        await second.stop()
    }

    @Test func `A server can only be started once`() async throws {
        let server = IdentityServer(configuration: configuration(), parts: parts())
        try await server.start()

        let error = await #expect(throws: IdentityServerError.self) { try await server.start() }

        #expect(error?.code == .alreadyStarted)
        await server.stop()
        await server.stop()
    }

    @Test func `The server cleans up if its port is in use`() async throws {
        let first = IdentityServer(configuration: configuration(), parts: parts())
        try await first.start()
        let port = try #require(first.url?.split(separator: ":").last.flatMap { Int($0) })
        var configuration = configuration()
        configuration.data = folder.path + "/other"
        configuration.admin.port = port
        let second = IdentityServer(configuration: configuration, parts: parts())

        let error = await #expect(throws: IdentityServerError.self) { try await second.start() }
        await first.stop()

        #expect(error?.code == .listening)
        #expect(error?.message.contains(String(port)) == true)
        // The listener and the database have been released, so the same start now succeeds.
        try await second.start()
        await second.stop()
    }

    @Test func `A server with an unusable admin token does not start any background work`() async throws {
        var configuration = configuration()
        configuration.admin.token = "too short"
        let time = VirtualTime()
        let server = IdentityServer(configuration: configuration, parts: parts(time))

        let error = await #expect(throws: IdentityServerError.self) { try await server.start() }

        #expect(error?.code == .configuration)
        // If there were any background tasks, they would be sleeping by now.
        for _ in 0..<10_000 { await Task.yield() }
        #expect(time.untilNextWake == nil)
    }

    @Test(
        arguments: [
            (nil, [], 4), (nil, ["10.0.0.1"], 0), (3, [], 3), (3, ["10.0.0.1"], 3), (0, [], 0),
        ] as [(Int?, [String], Int)]
    )
    func `An address can use a quarter of all connections, and proxies can use any number`(
        wanted: Int?,
        proxies: [String],
        limit: Int
    ) {
        var configuration = configuration()
        configuration.connections.perAddress = wanted
        configuration.trustedProxies = proxies

        #expect(configuration.connectionsPerAddress(of: 16) == limit)
    }

    @Test func `The server does not start with an unknown default schema`() async throws {
        var configuration = configuration()
        configuration.schemas.standard = "no-such-schema"
        let server = IdentityServer(configuration: configuration, parts: parts())

        let error = await #expect(throws: IdentityServerError.self) { try await server.start() }

        #expect(error?.code == .configuration)
        #expect(error?.message.contains("no-such-schema") == true)
    }

    @Test func `The operator's schemas are read from a folder`() async throws {
        _ = try folder.write(
            """
            {"type": "object", "properties": {"traits": {"type": "object", "properties": {"nick": {
              "type": "string", "ory.sh/kratos": {"credentials": {"password": {"identifier": true}}}
            }}}}}
            """,
            as: "guest.json"
        )
        var configuration = configuration()
        configuration.schemas.folder = folder.path
        let server = IdentityServer(configuration: configuration, parts: parts())
        try await server.start()

        #expect(await status("/a/schemas/guest", of: server) == 200)
        #expect(await status("/a/schemas/ghost", of: server) == 404)
        await server.stop()
    }

    @Test func `The error for an unsupported schema contains the position`() async throws {
        _ = try folder.write(
            #"{"type":"object","properties":{"traits":{"type":"object","oneOf":[]}}}"#,
            as: "odd.json"
        )
        var configuration = configuration()
        configuration.schemas.folder = folder.path
        let server = IdentityServer(configuration: configuration, parts: parts())

        let error = await #expect(throws: IdentityServerError.self) { try await server.start() }

        #expect(error?.code == .configuration)
        #expect(error?.message.contains("odd#/properties/traits") == true)
    }
}
