import LatchkeyModel
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import Testing

@Suite struct `Requests of web pages from other origins` {
    private static let app = "https://app.example.com"
    private static let other = "https://other.example.com"

    private static let endpoints: [Endpoint] = [
        endpoint(.get, "/public", .anyOrigin), endpoint(.post, "/private", .none),
        endpoint(.get, "/token", .clients), endpoint(.post, "/token", .clients),
        endpoint(.delete, "/token", .none), endpoint(.post, "/things/{}", .clients),
    ]

    /// An endpoint whose client has registered an origin.
    private static func endpoint(
        _ method: HTTP.Method,
        _ path: String,
        _ policy: CORSPolicy,
        failing error: (any Error)? = nil
    ) -> Endpoint {
        Endpoint(method, path, accepts: .session(), errors: .oauth, cors: policy, operation: .test) {
            context in
            context.shareResponse(withOrigins: [app])
            if let error { throw error }
            return .json(200, body: Array("{}".utf8))
        }
    }

    private func respond(
        _ method: HTTP.Method,
        _ path: String,
        origins: [String],
        asking requested: String? = nil,
        endpoints: [Endpoint] = endpoints
    ) async -> HTTP.Headers {
        var request = HTTP.Request(method, path)
        request.headers.fields = origins.map { HTTP.Headers.Field(name: "origin", value: $0) }
        request.headers["Access-Control-Request-Method"] = requested
        let router = Router(
            endpoints,
            basePath: "",
            time: VirtualTime(),
            isClientOrigin: { [Self.app, Self.other].contains($0) }
        )
        let response = await router.respond(to: request, from: .inProcess)
        #expect(response.headers["Access-Control-Allow-Credentials"] == nil)
        return response.headers
    }

    // MARK: Preflights

    @Test(
        arguments: [
            ("/public", "GET", [app], "*"), ("/public", "HEAD", [app], "*"),
            ("/public", "GET", ["null"], "*"),
            ("/public", "POST", [app], nil), ("/public", "GET", [], nil), ("/private", "POST", [app], nil),
            ("/private", "GET", [app], nil), ("/token", "POST", [app], app),
            ("/token", "GET", [other], other),
            ("/token", "HEAD", [app], app), ("/token", "DELETE", [app], nil), ("/token", "PUT", [app], nil),
            ("/token", "post", [app], nil), ("/token", "POST", ["https://evil.example"], nil),
            ("/token", "POST", ["null"], nil), ("/token", "POST", [""], nil), ("/token", "POST", [], nil),
            ("/token", "POST", [app, app], nil), ("/token", "POST", [app, other], nil),
            ("/token", "POST", ["\(app), \(other)"], nil), ("/token", "POST", ["\(app)/"], nil),
            ("/token", "POST", ["\(app)/path"], nil), ("/token", "POST", ["HTTPS://App.example.com"], nil),
            ("/token", "POST", ["*"], nil), ("/things/1", "POST", [app], app),
            ("/unknown", "GET", [app], nil),
        ] as [(String, String, [String], String?)]
    )
    func `A preflight allows the origins of the route's policy`(
        path: String,
        method: String,
        origins: [String],
        allowed: String?
    ) async {
        let headers = await respond(.options, path, origins: origins, asking: method)

        #expect(headers.all("Access-Control-Allow-Origin") == (allowed.map { [$0] } ?? []))
        let fields = ["Authorization, Content-Type, DPoP"]
        #expect(headers.all("Access-Control-Allow-Headers") == (allowed == nil ? [] : fields))
        #expect(headers.all("Access-Control-Max-Age") == (allowed == nil ? [] : ["600"]))
    }

    @Test(
        arguments: [
            ("/public", "GET", "GET, HEAD", []), ("/token", "POST", "GET, HEAD, POST", ["Origin"]),
            ("/things/1", "POST", "POST", ["Origin"]), ("/private", "POST", nil, []),
        ] as [(String, String, String?, [String])]
    )
    func `A preflight lists the methods with the same policy`(
        path: String,
        method: String,
        methods: String?,
        vary: [String]
    ) async {
        let headers = await respond(.options, path, origins: [Self.app], asking: method)
        #expect(headers["Access-Control-Allow-Methods"] == methods)
        #expect(headers.all("Vary") == vary)
    }

    @Test func `The answer to a refused preflight also depends on the origin`() async {
        let headers = await respond(.options, "/token", origins: ["https://evil.example"], asking: "POST")
        #expect(headers.all("Vary") == ["Origin"])
        #expect(headers["Allow"] == "DELETE, GET, HEAD, OPTIONS, POST")
    }

    @Test func `An OPTIONS request that isn't a preflight has no CORS headers`() async {
        for path in ["/public", "/token"] {
            let headers = await respond(.options, path, origins: [Self.app])
            #expect(headers.fields.allSatisfy { !$0.name.hasPrefix("Access-Control-") })
        }
    }

    @Test func `A preflight fails if the registered origins can't be read`() async {
        let reported = Locked(0)
        let router = Router(
            Self.endpoints,
            basePath: "",
            time: VirtualTime(),
            report: { _, _, _ in reported.withLock { $0 += 1 } },
            isClientOrigin: { _ in throw DatabaseError(.unavailable, message: "") }
        )
        let response = await router.respond(
            to: HTTP.Request(
                .options,
                "/token",
                headers: ["Origin": Self.app, "Access-Control-Request-Method": "POST"]
            ),
            from: .inProcess
        )
        #expect(response.status == 503)
        #expect(response.headers["Access-Control-Allow-Origin"] == nil)
        #expect(reported.withLock { $0 } == 1)
    }

    // MARK: Responses

    @Test(
        arguments: [
            ("/public", .get, [app], "*"), ("/public", .get, [], "*"), ("/public", .head, ["null"], "*"),
            ("/private", .post, [app], nil), ("/token", .post, [app], app), ("/token", .get, [app], app),
            ("/token", .delete, [app], nil), ("/token", .post, [other], nil), ("/token", .post, [], nil),
            ("/token", .post, ["https://evil.example"], nil), ("/token", .post, ["null"], nil),
            ("/token", .post, [app, app], nil), ("/token", .post, ["\(app)/"], nil),
            ("/token", .post, ["\(app)/path"], nil), ("/token", .post, ["https://APP.example.com"], nil),
            ("/unknown", .get, [app], nil), ("/token", .put, [app], nil),
        ] as [(String, HTTP.Method, [String], String?)]
    )
    func `Pages of the client can read the response`(
        path: String,
        method: HTTP.Method,
        origins: [String],
        allowed: String?
    ) async {
        let headers = await respond(method, path, origins: origins)

        #expect(headers.all("Access-Control-Allow-Origin") == (allowed.map { [$0] } ?? []))
        let fields = allowed == Self.app ? ["DPoP-Nonce, WWW-Authenticate"] : []
        #expect(headers.all("Access-Control-Expose-Headers") == fields)
        let depends = path == "/token" && method != .delete && method != .put
        #expect(headers.all("Vary") == (depends ? ["Origin"] : []))
    }

    @Test func `Pages of the client can read errors`() async {
        let errors: [any Error] = [
            OAuthError(.invalidGrant, reason: ""), ServerError(401),
            ServerError.tooManyRequests(retryAfter: 1),
            DatabaseError(.unavailable, message: ""), CancellationError(),
            AnsweredError(ServerError(400), response: HTTP.Response(400)),
        ]
        for error in errors {
            let endpoints = [Self.endpoint(.post, "/token", .clients, failing: error)]
            let headers = await respond(.post, "/token", origins: [Self.app], endpoints: endpoints)
            #expect(headers["Access-Control-Allow-Origin"] == Self.app, "\(error)")
            let others = await respond(.post, "/token", origins: [Self.other], endpoints: endpoints)
            #expect(others["Access-Control-Allow-Origin"] == nil, "\(error)")
        }
    }

    @Test func `A request that is refused before its client is known can't be read`() async {
        var request = HTTP.Request(.post, "/token", headers: ["Origin": Self.app], body: [1])
        request.headers.fields += ["a/b", "c/d"].map { HTTP.Headers.Field(name: "Content-Type", value: $0) }
        let response = await Router(Self.endpoints, basePath: "", time: VirtualTime())
            .respond(to: request, from: .inProcess)
        #expect(response.status == 400)
        #expect(response.headers["Access-Control-Allow-Origin"] == nil)
    }
}
