import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import Testing

@Suite(.timeLimit(.minutes(10))) struct `The credentials of a client` {
    @Test func `reach no other server by the path of a request`() async throws {
        let sockets = try await SocketTestServer()
        try await sockets.server.addCustomer(phone: Handset.phone, passcode: Handset.passcode)
        let port = try #require(sockets.url.split(separator: ":").last.flatMap { Int($0) })
        let foreign = try RecordingProxy(to: port)
        // Origins without a port, and one that is the beginning of an address: a path without its slash could complete them.
        let origins = ["http://127.0.0.1", "http://127.0.0.1:\(port)", "https://127.0.0"]
        let client = try LatchkeyClient(
            server: sockets.url,
            app: "com.example.shop",
            apiOrigins: Set(origins),
            store: MemoryStore(),
            languages: [],
            time: sockets.server.time
        )
        try await client.signIn(phone: Handset.phone, password: Handset.passcode)

        for origin in origins {
            for path in [
                "@127.0.0.1:\(foreign.port)/x", ":\(foreign.port)/x", ".1:\(foreign.port)/x",
                "//127.0.0.1:\(foreign.port)/x", "\\\\127.0.0.1:\(foreign.port)/x",
                "http://127.0.0.1:\(foreign.port)/x",
                "x", "", "/\r\nHost: 127.0.0.1:\(foreign.port)",
            ] {
                let error = await failure { try await client.send(HTTPRequest(.get, path), to: origin) }
                #expect(error?.code == .invalidInput, "\(origin)\(path)")
                #expect((error?.cause as? TransportError)?.code == .invalidRequest, "\(origin)\(path)")
                #expect(error?.sessionHolds == true)
            }
        }
        #expect(foreign.connectionCount == 0)
        foreign.stop()
        await sockets.stop()
    }

    @Test(arguments: [
        "m/a", "a", "@evil.example", ".evil.example", ":8443", "//evil.example", "/a/", "/", "/../a", "/a?x",
    ])
    func `reach no other server by a base path`(_ basePath: String) {
        let error = #expect(throws: LatchkeyError.self) {
            try LatchkeyClient(
                server: "https://id.example.co",
                app: "com.example.shop",
                basePath: basePath,
                store: MemoryStore()
            )
        }
        #expect(error?.code == .invalidInput)
    }

    @Test(arguments: [
        "https://id.example.com/../a", "https://id.example.com/a//b", "https://id.example.com//a",
    ])
    func `reach no other path by a server's address`(_ server: String) {
        #expect(throws: LatchkeyError.self) {
            try LatchkeyClient(server: server, app: "com.example.shop", store: MemoryStore())
        }
    }

    @Test(arguments: [
        "https://avatars.example/me.png", "https://api.example.com.evil.example/",
        "https://api.example.com:444/me",
        "https://id.test:8443/me", "http://127.0.0.1/me",
    ])
    func `are not sent to an origin that the app does not list`(_ url: String) async throws {
        let server = try await TestServer()
        try await server.addCustomer(phone: Handset.phone, passcode: Handset.passcode)
        let shopper = try Shopper(server)
        try await shopper.logIn()
        shopper.network.identity.forgetExchanges()

        let error = await failure { try await shopper.client.data(from: url) }

        #expect(error?.code == .originNotAllowed)
        #expect(error?.sessionHolds == true)
        // No access token is requested either.
        #expect(shopper.network.identity.exchanges.isEmpty && shopper.network.tokens.isEmpty)
        await server.stop()
    }

    @Test func `are sent to the identity server and to the origins that the app lists`() async throws {
        let server = try await TestServer()
        try await server.addCustomer(phone: Handset.phone, passcode: Handset.passcode)
        let device = TestDevice(server)
        device.network.serve("https://api.example.com") { request in
            HTTPResponse(request.headers["Authorization"] == nil ? 401 : 200)
        }
        let client = try device.client(apiOrigins: ["https://API.example.com:443"])
        try await client.signIn(phone: Handset.phone, password: Handset.passcode)

        #expect(try await client.data(from: "https://api.example.com/me?x=1").1.status == 200)
        #expect(try await client.send(HTTPRequest(.get, "/me"), to: "https://api.example.com").status == 200)
        #expect(try await client.data(from: TestServer.url + "/a/sessions/whoami").1.status == 200)
        await server.stop()
    }

    @Test(arguments: ["https://api.example.com/v1", "https://api.example.com/"])
    func `are not sent to an origin with a path, which would be lost`(_ origin: String) async throws {
        let server = try await TestServer()
        let client = try TestDevice(server).client(apiOrigins: ["https://api.example.com"])

        let error = await failure { try await client.send(HTTPRequest(.get, "/me"), to: origin) }

        #expect(error?.code == .invalidInput)
        #expect(error?.message.contains("must not have a path") == true)
        await server.stop()
    }

    @Test func `cannot be sent through a proxy whose URL is none`() {
        let error = #expect(throws: LatchkeyError.self) {
            try LatchkeyClient(
                server: "https://id.example.com",
                app: "com.example.shop",
                store: MemoryStore(),
                proxy: .url("proxy.example.com")
            )
        }
        #expect(error?.code == .invalidInput)
    }

    @Test(arguments: [
        "https://api.example.com/v1", "http://api.example.com", "api.example.com", "", "*",
        "https://*.example.com",
    ])
    func `cannot be allowed to go to a text that is no origin`(_ origin: String) {
        let error = #expect(throws: LatchkeyError.self) {
            try LatchkeyClient(
                server: "https://id.example.com",
                app: "com.example.shop",
                apiOrigins: ["https://api.example.org", origin],
                store: MemoryStore()
            )
        }
        #expect(error?.code == .invalidInput)
    }
}
