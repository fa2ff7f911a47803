import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Confinement of credentials` {
    @Test func `The path of a request cannot send credentials to another server`() async throws {
        let sockets = try await SocketTestServer()
        try await sockets.server.addCustomer(phone: TestAccount.phone, passcode: TestAccount.passcode)
        let port = try #require(sockets.url.split(separator: ":").last.flatMap { Int($0) })
        let foreign = try RecordingProxy(to: port)
        // Some of these origins have no port, and one is the prefix of a longer address. If a path without a
        // leading slash were appended to such an origin, the result could be another server's address.
        let origins = ["http://127.0.0.1", "http://127.0.0.1:\(port)", "https://127.0.0"]
        let client = try LatchkeyClient(
            server: sockets.url,
            app: "com.example.shop",
            apiOrigins: Set(origins)
        ) {
            $0.store = MemoryStore()
            $0.languages = []
            $0.time = sockets.server.time
        }
        try await client.signIn(phone: TestAccount.phone, password: TestAccount.passcode)

        for origin in origins {
            for path in [
                "@127.0.0.1:\(foreign.port)/x", ":\(foreign.port)/x", ".1:\(foreign.port)/x",
                "//127.0.0.1:\(foreign.port)/x", "\\\\127.0.0.1:\(foreign.port)/x",
                "http://127.0.0.1:\(foreign.port)/x",
                "x", "", "/\r\nHost: 127.0.0.1:\(foreign.port)",
            ] {
                let error = await failure { try await client.send(HTTP.Request(.get, path), to: origin) }
                #expect(error?.code == .invalidInput, "\(origin)\(path)")
                #expect((error?.cause as? TransportError)?.code == .invalidRequest, "\(origin)\(path)")
                #expect(error?.isStillSignedIn == true)
            }
        }
        #expect(foreign.connectionCount == 0)
        foreign.stop()
        await sockets.stop()
    }

    @Test(arguments: [
        "m/a", "a", "@evil.example", ".evil.example", ":8443", "//evil.example", "/a/", "/", "/../a", "/a?x",
    ])
    func `A base path cannot send credentials to another server`(_ basePath: String) {
        let error = #expect(throws: LatchkeyError.self) {
            try LatchkeyClient(server: "https://id.example.co", app: "com.example.shop") {
                $0.basePath = basePath
                $0.store = MemoryStore()
            }
        }
        #expect(error?.code == .invalidInput)
    }

    @Test(arguments: [
        "https://id.example.com/../a", "https://id.example.com/a//b", "https://id.example.com//a",
    ])
    func `A server URL with an unsafe path is rejected`(_ server: String) {
        #expect(throws: LatchkeyError.self) {
            try LatchkeyClient(server: server, app: "com.example.shop") {
                $0.store = MemoryStore()
            }
        }
    }

    @Test(arguments: [
        ("http://192.168.1.5:4433", "forward a local port"),
        ("http://host.docker.internal", "forward a local"),
        ("http://10.0.2.2:4433", "forward a local port"), ("https://bücher.example", "xn--"),
        ("id.example.com", "no scheme"), ("https://user:hidden@id.example.com", "user information"),
        ("https://id.example.com/a b", "white space"), ("https://id.example.com:x", "port"),
        ("https://id.example.com?x", "query"), ("https://id.example.com/#x", "fragment"),
        ("https://id.example.com/a//b", "empty segment"), ("https://id.example.com/%2", "%25"),
    ])
    func `The error for an invalid server URL names the part that is wrong`(
        _ server: String,
        _ reason: String
    ) {
        let error = #expect(throws: LatchkeyError.self) {
            try LatchkeyClient(server: server, app: "com.example.shop") {
                $0.store = MemoryStore()
            }
        }
        #expect(error?.code == .invalidInput && error?.message.contains(reason) == true)
        #expect(error?.message.contains("hidden") == false)
    }

    @Test func `The path of a server URL can contain an at sign`() throws {
        let client = try LatchkeyClient(server: "https://id.example.com/tenant/@me", app: "com.example.shop")
        {
            $0.store = MemoryStore()
        }
        #expect(client.serverOrigin == "https://id.example.com")
    }

    @Test(arguments: [
        "https://avatars.example/me.png", "https://api.example.com.evil.example/",
        "https://api.example.com:444/me",
        "https://id.test:8443/me", "http://127.0.0.1/me",
    ])
    func `Credentials are not sent to an origin that the app does not list`(_ url: String) async throws {
        let server = try await TestServer()
        try await server.addCustomer(phone: TestAccount.phone, passcode: TestAccount.passcode)
        let app = try TestApp(server, store: FaultInjectingStore(), credential: .accessToken)
        try await app.logIn()
        app.network.forgetExchanges()

        let error = await failure { try await app.client.data(from: url) }

        #expect(error?.code == .originNotAllowed)
        #expect(error?.isStillSignedIn == true)
        // An access token is not requested either.
        #expect(app.identityExchanges.isEmpty && app.api.tokens.isEmpty)
        await server.stop()
    }

    @Test func `Credentials are sent to the identity server and the listed origins`() async throws {
        let server = try await TestServer()
        try await server.addCustomer(phone: TestAccount.phone, passcode: TestAccount.passcode)
        let device = TestDevice(server)
        device.network.serve("https://api.example.com") { request in
            HTTP.Response(request.headers["Authorization"] == nil ? 401 : 200)
        }
        let client = try device.client(apiOrigins: ["https://API.example.com:443"])
        try await client.signIn(phone: TestAccount.phone, password: TestAccount.passcode)

        #expect(try await client.data(from: "https://api.example.com/me?x=1").1.status == 200)
        #expect(try await client.send(HTTP.Request(.get, "/me"), to: "https://api.example.com").status == 200)
        #expect(try await client.data(from: TestServer.url + "/a/sessions/whoami").1.status == 200)
        await server.stop()
    }

    @Test(arguments: ["https://api.example.com/v1", "https://api.example.com/"])
    func `An origin with a path is rejected because the path would be ignored`(_ origin: String) async throws
    {
        let server = try await TestServer()
        let client = try TestDevice(server).client(apiOrigins: ["https://api.example.com"])

        let error = await failure { try await client.send(HTTP.Request(.get, "/me"), to: origin) }

        #expect(error?.code == .invalidInput)
        #expect(error?.message.contains("must not have a path") == true)
        await server.stop()
    }

    @Test func `A client cannot be created with an invalid proxy URL`() {
        let error = #expect(throws: LatchkeyError.self) {
            try LatchkeyClient(server: "https://id.example.com", app: "com.example.shop") {
                $0.store = MemoryStore()
                $0.proxy = .url("proxy.example.com")
            }
        }
        #expect(error?.code == .invalidInput)
    }

    @Test(arguments: [
        "https://api.example.com/v1", "http://api.example.com", "api.example.com", "", "*",
        "https://*.example.com",
    ])
    func `An invalid origin in apiOrigins is rejected`(_ origin: String) {
        let error = #expect(throws: LatchkeyError.self) {
            try LatchkeyClient(
                server: "https://id.example.com",
                app: "com.example.shop",
                apiOrigins: ["https://api.example.org", origin]
            ) {
                $0.store = MemoryStore()
            }
        }
        #expect(error?.code == .invalidInput)
    }
}
