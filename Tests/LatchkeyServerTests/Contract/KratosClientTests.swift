import LatchkeyAccounts
import LatchkeySelfService
import LatchkeyServer
import LatchkeyTestKit
import TestDatabases
import TestProcesses
import Testing

/// Runs the unmodified Python clients that the publisher of Ory Kratos provides.
@Suite(.onEachDatabase) struct `Python clients of Ory Kratos` {
    @Test(arguments: [("ory_kratos_client", "/"), ("ory_client", "/a")])
    func `The clients complete every flow over sockets`(package: String, basePath: String)
        async throws
    {
        try await PythonScript("kratos_client.py").passes(basePath: basePath) { server in
            let api = (try #require(server.url)) + (basePath == "/" ? "" : basePath)
            return [package, api, try #require(server.adminURL)]
        }
    }

    @Test(arguments: [("ory_kratos_client", "/a"), ("ory_client", "/")])
    func `The clients can register in two steps`(package: String, basePath: String)
        async throws
    {
        var settings = TestServer.configuration()
        settings.basePath = basePath
        settings.schemas.standard = "person"
        settings.registration.style = .profileFirst
        settings.registration.sendsVerification = false
        let server = try await SocketTestServer(configuration: settings)
        let script = PythonScript("kratos_two_steps.py")
        let api = server.url + (basePath == "/" ? "" : basePath)

        let now = try await script.run(package, api, "now")
        #expect(now.code == 0, "\(now.text)")
        let state = now.output.split(separator: "\n").last.map(String.init) ?? ""
        server.server.time.advance(by: .seconds(2 * 3600))
        let later = try await script.run(package, api, "later", state)

        #expect(later.code == 0, "\(later.text)")
        await server.stop()
    }

    @Test(arguments: ["ory_kratos_client", "ory_client"])
    func `The clients can administer identities and sessions`(package: String) async throws {
        try await PythonScript("admin_client.py").passes(basePath: "/") { server in
            [package, try #require(server.url), try #require(server.adminURL)]
        }
    }

    @Test func `The client for Ory Hydra's API can manage OAuth clients`() async throws {
        try await PythonScript("hydra_clients.py").passes(arguments: { server in
            [try #require(server.adminURL)]
        })
    }
}
