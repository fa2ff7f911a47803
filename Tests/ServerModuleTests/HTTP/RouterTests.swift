import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import Testing

@Suite struct `HTTP router` {
    private static let endpoints = [
        Endpoint(.get, "/things", accepts: .none, operation: .test) { _ in .json(200, body: Array("{}".utf8))
        },
        Endpoint(.get, "/things/{}", accepts: .none, operation: .test) {
            .json(200, body: Array($0.parameter.utf8))
        },
        Endpoint(.post, "/things", accepts: .none, operation: .test) { _ in
            throw ServerError(418, id: .codeUsed, reason: "no", retryAfter: 7)
        },
        Endpoint(.get, "/health/alive", below: .server, accepts: .none, operation: .test) { _ in
            HTTP.Response(204)
        },
        Endpoint(.get, "/stream", accepts: .none, operation: .test) { _ in
            var response = HTTP.Response(200)
            response.stream = HTTP.BodyStream { write in
                for part in ["first ", "second"] { try await write(Array(part.utf8)) }
            }
            return response
        },
        Endpoint(.get, "/bug", accepts: .none, operation: .test) { _ in throw Bug() },
        Endpoint(.get, "/busy", accepts: .none, operation: .test) { _ in
            throw PasswordHasherError.overloaded(retryAfter: 3)
        },
        Endpoint(.get, "/full", accepts: .none, operation: .test) { _ in
            throw DatabaseError(.overloaded, message: "queue")
        },
        Endpoint(.get, "/gone", accepts: .none, operation: .test) { _ in
            throw DatabaseError(.unavailable, message: "secret detail")
        },
        Endpoint(.get, "/broken", accepts: .none, operation: .test) { _ in
            throw DatabaseError(.failed, message: "secret detail")
        },
    ]

    private struct Bug: Error {
        let detail = "secret detail"
    }

    private func respond(
        _ method: HTTP.Method,
        _ path: String,
        base: String = "/a",
        headers: HTTP.Headers = [:]
    )
        async -> HTTP.Response
    {
        await Router(Self.endpoints, basePath: base, time: VirtualTime())
            .respond(to: HTTP.Request(method, path, headers: headers), from: .inProcess)
    }

    @Test(arguments: [
        (HTTP.Method.get, "/a/things", "/a", 200),
        (.get, "/things", "/", 200),
        (.get, "/things", "", 200),
        (.get, "/a/things", "/a/", 200),
        (.get, "/things", "/a", 404),
        (.get, "/a/health/alive", "/a", 404),
        (.get, "/health/alive", "/a", 204),
        (.get, "/a/things/", "/a", 404),
        (.get, "/a/things/x/y", "/a", 404),
        (.get, "/a/things/{}", "/a", 200),
        (.get, "", "/a", 404),
        (.put, "/a/things", "/a", 405),
        (.head, "/a/things", "/a", 200),
        (HTTP.Method(rawValue: "get"), "/a/things", "/a", 405),
    ]) func `Routes are found by their method and path`(
        _ method: HTTP.Method,
        _ path: String,
        _ base: String,
        _ status: Int
    )
        async
    {
        #expect(await respond(method, path, base: base).status == status)
    }

    @Test func `Path parameters are passed to the handler`() async {
        #expect(await respond(.get, "/a/things/x%20y").body == Array("x%20y".utf8))
    }

    @Test func `The Allow header lists the methods that a route supports`() async {
        for method in [HTTP.Method.put, .options] {
            let response = await respond(method, "/a/things")
            #expect(response.status == (method == .put ? 405 : 204))
            #expect(response.headers["Allow"] == "GET, HEAD, OPTIONS, POST")
        }
    }

    @Test func `A route's response stream is passed through`() async {
        let response = await respond(.get, "/a/stream")
        #expect(response.body.isEmpty)
        #expect(await response.received(for: .get).body == Array("first second".utf8))
    }

    @Test(arguments: ["/a/things", "/a/things/x", "/a/bug", "/a/busy", "/a/full", "/a/nowhere"])
    func `The response to HEAD has the status and the Content-Length of the response to GET`(
        _ path: String
    ) async {
        let get = await respond(.get, path)
        let head = await respond(.head, path).received(for: .head)
        #expect(head.status == get.status)
        #expect(head.headers["Content-Length"] == String(get.body.count))
        #expect(head.headers["Content-Type"] == get.headers["Content-Type"])
        #expect(head.body.isEmpty && !get.body.isEmpty)
    }

    @Test func `The response to HEAD has no Content-Length if GET streams the body`() async {
        let head = await respond(.head, "/a/stream").received(for: .head)
        #expect(head.headers["Content-Length"] == nil)
        #expect(head.body.isEmpty && head.stream == nil)
    }

    @Test(
        arguments: [
            ("/a/bug", 500, nil), ("/a/broken", 500, nil), ("/a/busy", 503, "3"), ("/a/full", 503, "1"),
            ("/a/gone", 503, "1"),
        ] as [(String, Int, String?)]
    )
    func `Unexpected errors result in an error envelope without details`(
        _ path: String,
        _ status: Int,
        _ retryAfter: String?
    ) async throws {
        let response = await respond(.get, path)
        #expect(response.status == status)
        #expect(response.headers["Retry-After"] == retryAfter)
        #expect(response.headers["Content-Type"] == "application/json")
        #expect(!String(decoding: response.body, as: UTF8.self).contains("secret detail"))
        let envelope = try JSONCoding.decode(ErrorBody.self, from: response.body)
        #expect(envelope.error.code == status)
    }

    @Test(arguments: [
        ("/a/full", "The server is overloaded."), ("/a/gone", "The server's storage is unavailable."),
    ])
    func `A 503 response distinguishes a busy server from one without storage`(
        _ path: String,
        _ reason: String
    ) async throws {
        let envelope = try JSONCoding.decode(ErrorBody.self, from: await respond(.get, path).body)
        #expect(envelope.error.reason?.hasPrefix(reason) == true)
    }

    @Test func `Only unexpected errors are reported`() async {
        let reported = Locked<[String]>([])
        let router = Router(Self.endpoints, basePath: "/a", time: VirtualTime()) { _, method, path in
            reported.withLock { $0.append("\(method) \(path)") }
        }
        for path in ["/a/bug", "/a/things", "/a/nowhere"] {
            _ = await router.respond(to: HTTP.Request(.get, path), from: .inProcess)
        }
        #expect(reported.withLock { $0 } == ["GET /a/bug"])
    }

    @Test func `A server error is written as an error envelope`() async throws {
        let response = await respond(.post, "/a/things")
        #expect(response.headers["Retry-After"] == "7")
        let error = try JSONCoding.decode(ErrorBody.self, from: response.body).error
        #expect(error.id == .codeUsed)
        #expect(error.code == 418)
        #expect(error.reason == "no")
        #expect(error.request == nil)
    }

    @Test func `The error envelope contains the flow to continue with`() async throws {
        let flow = Identifier(high: 1, low: 2)
        let error = ServerError.flowExpired(
            .init(flow: flow, expiredAt: Timestamp(seconds: 1), now: Timestamp(seconds: 3))
        )
        let body = try JSONCoding.decode(ErrorBody.self, from: error.response(echoing: nil).body)
        #expect(body.useFlowID == flow.description)
        #expect(body.expiredAt == "1970-01-01T00:00:01.000000Z")
        #expect(body.since == 2_000_000_000)
        #expect(body.error.id == .flowExpired)
    }

    @Test(arguments: [
        ("abc-123_x.y:z", true), (String(repeating: "a", count: 128), true), ("", false), ("a b", false),
        (String(repeating: "a", count: 129), false), ("a\"b", false), ("é", false), ("a\nb", false),
    ]) func `A well-formed request id is repeated in the error envelope`(_ id: String, _ isEchoed: Bool)
        async throws
    {
        let response = await respond(.get, "/a/nowhere", headers: ["X-Request-ID": id])
        let error = try JSONCoding.decode(ErrorBody.self, from: response.body).error
        #expect(error.request == (isEchoed ? id : nil))
    }

    static let challenges: [(RouteCredentials, HTTP.Headers, [String])] = [
        (.session(), [:], [#"Bearer realm="Latchkey""#]),
        (.session(), ["X-Session-Token": "x"], [#"Bearer realm="Latchkey", error="invalid_token""#]),
        (.session(), ["Authorization": "Bearer x"], [#"Bearer realm="Latchkey", error="invalid_token""#]),
        (.session(), ["Authorization": "DPoP x"], [#"Bearer realm="Latchkey""#]),
        (.sessionOrScope(.events), [:], [#"Bearer realm="Latchkey""#, #"DPoP algs="ES256""#]),
        (
            .sessionOrScope(.purchases, bound: true), ["Authorization": "dpop  x"],
            [#"Bearer realm="Latchkey""#, #"DPoP error="invalid_token", algs="ES256""#]
        ),
        (.body(BodyCredentials([.refreshToken])), [:], [#"Basic realm="Latchkey clients""#]),
        (.adminToken, [:], [#"Bearer realm="Latchkey administration""#]),
        (.none, [:], [#"Bearer realm="Latchkey""#]),
    ]

    @Test(arguments: challenges)
    func `A 401 response names the authentication schemes that the route accepts`(
        _ credentials: RouteCredentials,
        _ headers: HTTP.Headers,
        _ challenges: [String]
    ) async {
        let refusals: [Endpoint.Answer] = [{ _ in throw ServerError(401) }, { _ in HTTP.Response(401) }]
        for refusal in refusals {
            let endpoint = Endpoint(.get, "/x", accepts: credentials, operation: .test, answer: refusal)
            let response = await Router([endpoint], basePath: "", time: VirtualTime())
                .respond(to: HTTP.Request(.get, "/x", headers: headers), from: .inProcess)
            #expect(response.headers.all("WWW-Authenticate") == challenges)
        }
    }

    @Test func `A challenge from the handler is not replaced`() async {
        let endpoint = Endpoint(.get, "/x", accepts: .session(), operation: .test) { _ in
            throw ServerError(401, headers: .challenge(.dpop(.nonceRequired)))
        }
        let response = await Router([endpoint], basePath: "", time: VirtualTime())
            .respond(to: HTTP.Request(.get, "/x"), from: .inProcess)
        #expect(
            response.headers.all("WWW-Authenticate") == [#"DPoP error="use_dpop_nonce", algs="ES256""#]
        )
    }

    @Test(arguments: ["/a/things", "/a/bug", "/a/nowhere"], [HTTP.Method.get, .head, .post, .delete])
    func `All responses forbid caching and content sniffing`(
        _ path: String,
        _ method: HTTP.Method
    ) async {
        let headers = await respond(method, path).headers
        #expect(headers["Cache-Control"] == "private, no-cache, no-store, must-revalidate")
        #expect(headers["X-Content-Type-Options"] == "nosniff")
    }

    @Test(arguments: [
        (["application/json"], 418), ([], 418), (["application/json", "application/json"], 400),
        (["application/json", "text/plain"], 400), (["", "application/json"], 400),
    ])
    func `A request with a body has at most one Content-Type`(types: [String], status: Int) async {
        var request = HTTP.Request(.post, "/things", body: Array("{}".utf8))
        request.headers.fields = types.map { HTTP.Headers.Field(name: "content-type", value: $0) }

        let response = await Router(Self.endpoints, basePath: "", time: VirtualTime())
            .respond(to: request, from: .inProcess)

        #expect(response.status == status)
    }

    @Test(arguments: [
        (RouteCredentials.adminToken, "", 204), (.adminToken, "{}", 204),
        (.adminToken, #"{"amount": 5}"#, 400), (.adminTokenUnlessOpen, "x", 400), (.session(), "x", 204),
    ])
    func `A body that an admin route would ignore is rejected`(
        _ credentials: RouteCredentials,
        _ body: String,
        _ status: Int
    ) async {
        let endpoint = Endpoint(.post, "/x", accepts: credentials, operation: .test) { _ in
            HTTP.Response(204)
        }
        let response = await Router([endpoint], basePath: "", time: VirtualTime())
            .respond(to: HTTP.Request(.post, "/x", body: Array(body.utf8)), from: .inProcess)
        #expect(response.status == status)
    }

    @Test func `A method with a long name is rejected`() async {
        let method = HTTP.Method(rawValue: String(repeating: "G", count: 10_000))
        #expect(await respond(method, "/a/things").status == 405)
    }

    @Test(
        arguments: [
            (["X-Session-Token": "x"], "x"),
            (["Authorization": "Bearer y"], "y"),
            (["authorization": "bearer y"], "y"),
            (["Authorization": "Bearer   y"], "y"),
            (["Authorization": "BEARER y"], "y"),
            (["Authorization": "Bearer\ty"], nil),
            (["Authorization": "Bearery"], nil),
            (["Authorization": "Bearer y", "authorization": "Bearer z"], nil),
            (["X-Session-Token": "x", "Authorization": "Bearer y"], "x"),
            (["X-Session-Token": "", "Authorization": "Bearer y"], "y"),
            (["Authorization": "Basic y"], nil),
            (["Authorization": "Bearer "], nil),
            (["Authorization": "Bearer   "], nil),
            (["Authorization": "Bearer"], nil),
            (["Cookie": "ory_kratos_session=z"], nil),
            ([:], nil),
        ] as [(HTTP.Headers, String?)]
    ) func `The session token is read from the request headers`(
        _ headers: HTTP.Headers,
        _ token: String?
    ) {
        let context = RequestContext(
            HTTP.Request(.get, "/", headers: headers),
            from: .inProcess,
            at: Timestamp(seconds: 0)
        )
        #expect(context.sessionToken?.exposed == token)
    }
}

extension APIOperation {
    /// An operation for test routes that don't appear in the OpenAPI document.
    static let test = APIOperation("test", "A test.", [])
}
