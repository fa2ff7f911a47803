import LatchkeyModel
import LatchkeyOAuth
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyAccounts

@Suite(.onEachDatabase) struct `Origins of clients` {
    private static let app = "https://app.example.com"

    private let server: OAuthServer

    init() async throws {
        server = try await OAuthServer()
    }

    private var registry: ClientRegistry { server.assembly.accounts.clients }

    private func create(_ id: String, origins: String..., disabled: Bool = false) async {
        let list = origins.map { "\"\($0)\"" }.joined(separator: ",")
        let answer = await server.administer(
            .post,
            "/admin/clients",
            """
            {"client_id": "\(id)", "allowed_cors_origins": [\(list)], "latchkey": {"disabled": \(disabled)}}
            """
        )
        #expect(answer.status == 201, "\(answer.body)")
        // The key for the client's ID tokens is generated in the background.
        await server.assembly.tokens.keys.stop()
    }

    private func patch(_ id: String, at path: String, to value: String) async {
        let answer = await server.administer(
            .patch,
            "/admin/clients/\(id)",
            #"[{"op": "replace", "path": "\#(path)", "value": \#(value)}]"#
        )
        #expect(answer.status == 200, "\(answer.body)")
    }

    /// Returns the origin that a preflight allows.
    private func allowed(_ origin: String, at path: String = Route.token, _ method: String = "POST") async
        -> String?
    {
        let headers: HTTP.Headers = ["Origin": origin, "Access-Control-Request-Method": method]
        let answer = await server.send(HTTP.Request(.options, path, headers: headers))
        #expect(answer.status == 204)
        return answer.response.headers["Access-Control-Allow-Origin"]
    }

    // MARK: Routes

    @Test func `Pages of all clients may call the token and revocation endpoints`() async {
        await create("shop", origins: Self.app, "http://localhost:3000")
        await create("news", origins: "https://news.example.com:8443")

        for path in [Route.token, Route.revocation] {
            for origin in [Self.app, "http://localhost:3000", "https://news.example.com:8443"] {
                #expect(await allowed(origin, at: path) == origin)
            }
            for origin in [
                "https://evil.example", "null", "http://app.example.com", "https://app.example.com:8443",
                "https://app.example.com.evil.example", "https://App.example.com", Self.app + "/",
                Self.app + "/in", "https://app.example.com:443", "", String(repeating: "a", count: 10_000),
            ] {
                #expect(await allowed(origin, at: path) == nil, "\(origin.prefix(80))")
            }
        }
    }

    @Test func `A response is only shared with the client that sent the request`() async {
        await create("shop", origins: Self.app)
        let request = HTTP.Request(.post, Route.token, headers: ["Origin": Self.app])
        let headers = await server.send(request).response.headers
        // The request doesn't name a client.
        #expect(headers["Access-Control-Allow-Origin"] == nil)
        #expect(headers.all("Vary") == ["Origin"])
    }

    @Test(arguments: [Route.keySet, Route.authorizationServer])
    func `All pages can read the published keys and metadata`(path: String) async {
        for origin in ["https://any.example", "null"] {
            let response = await server.send(HTTP.Request(.get, path, headers: ["Origin": origin])).response
            #expect(response.status == 200)
            #expect(response.headers["Access-Control-Allow-Origin"] == "*")
            #expect(await allowed(origin, at: path, "GET") == "*")
        }
    }

    /// A page that could read any other response could act for its visitors.
    @Test func `No other route can be called by pages of other origins`() {
        let shared: [String: CORSPolicy] = [
            Route.token: .clients, Route.revocation: .clients, "/userinfo": .clients,
            Route.keySet: .anyOrigin, Route.authorizationServer: .anyOrigin,
            "/.well-known/openid-configuration": .anyOrigin,
        ]
        for endpoint in server.assembly.document.endpoints + server.assembly.operatorRoutes {
            let expected = endpoint.root == .server ? shared[endpoint.path] ?? .none : .none
            #expect(endpoint.cors == expected, "\(endpoint.method.rawValue) \(endpoint.path)")
        }
    }

    // MARK: Registry

    @Test func `Changes of a client change its origins at once`() async throws {
        await create("shop", origins: Self.app)
        #expect(try await registry.hasOrigin(Self.app))

        await patch("shop", at: "/allowed_cors_origins", to: #"["https://new.example.com"]"#)
        #expect(try await !registry.hasOrigin(Self.app))
        #expect(try await registry.hasOrigin("https://new.example.com"))

        await patch("shop", at: "/latchkey/disabled", to: "true")
        #expect(try await !registry.hasOrigin("https://new.example.com"))
        await patch("shop", at: "/latchkey/disabled", to: "false")
        #expect(try await registry.hasOrigin("https://new.example.com"))

        #expect(await server.administer(.delete, "/admin/clients/shop").status == 204)
        #expect(try await !registry.hasOrigin("https://new.example.com"))
        #expect(try await server.database.rows("SELECT 1 FROM client_origins").isEmpty)
    }

    @Test func `An origin stays allowed while another client has it`() async throws {
        await create("shop", origins: Self.app)
        await create("news", origins: Self.app)
        await create("old", origins: "https://old.example.com", disabled: true)

        #expect(await server.administer(.delete, "/admin/clients/shop").status == 204)

        #expect(try await registry.hasOrigin(Self.app))
        #expect(try await !registry.hasOrigin("https://old.example.com"))
    }

    @Test func `A change is effective on other nodes within five seconds`() async throws {
        await create("shop", origins: Self.app)
        let other = ClientRegistry(database: server.database, time: server.time)
        #expect(try await other.hasOrigin(Self.app))

        await patch("shop", at: "/allowed_cors_origins", to: "[]")

        #expect(try await other.hasOrigin(Self.app))
        server.time.advance(by: ClientRegistry.lifespan)
        #expect(try await !other.hasOrigin(Self.app))
    }

    @Test func `A registered origin is read once in four seconds`() async throws {
        await create("shop", origins: Self.app)
        for (expected, pause) in [(1, Duration.zero), (0, .milliseconds(3999)), (1, .milliseconds(1))] {
            server.time.advance(by: pause)
            let reads = try await server.database.counts { _ = try await registry.hasOrigin(Self.app) }.reads
            #expect(reads == expected)
        }
    }

    @Test func `Unknown origins aren't cached, and impossible ones aren't read`() async throws {
        #expect(try await !registry.hasOrigin("https://x.example"))
        #expect(registry.cachedOriginCount == 0)
        let impossible = [
            "null", "", "*", "https://", "ftp://x.example", "https://x.example/", "https://X.example",
        ]
        for origin in impossible + ["https://\(String(repeating: "a", count: 600)).example"] {
            let reads = try await server.database.counts { _ = try await registry.hasOrigin(origin) }.reads
            #expect(reads == 0, "\(origin.prefix(80))")
        }
        await create("x", origins: "https://x.example")
        #expect(try await registry.hasOrigin("https://x.example"))
    }

    @Test func `The cache of origins is bounded, and the oldest one makes room`() async throws {
        let count = ClientRegistry.mostEntries + 2
        try await server.database.transaction { transaction in
            let json = OrderedJSON.object([
                OrderedJSON.Member(
                    name: "allowed_cors_origins",
                    value: .array((0..<count).map { .string("https://a\($0).example") })
                )
            ])
            let client = OAuthClient(
                id: "many",
                metadata: try ClientMetadata(json, rules: nil),
                secrets: ClientSecrets(.generated([1])),
                createdAt: Timestamp(seconds: 0),
                updatedAt: Timestamp(seconds: 0)
            )
            _ = try ClientRepository.insert(client, in: transaction)
        }
        for number in 0..<count {
            server.time.advance(by: .microseconds(1))
            #expect(try await registry.hasOrigin("https://a\(number).example"))
        }
        #expect(registry.cachedOriginCount == ClientRegistry.mostEntries)
        let reads = try await server.database.counts {
            _ = try await registry.hasOrigin("https://a\(count - 1).example")
        }.reads
        #expect(reads == 0)
    }
}
