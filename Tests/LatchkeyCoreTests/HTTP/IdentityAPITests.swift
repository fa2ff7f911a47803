import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import LatchkeyCore

@Suite struct `Identity API` {
    private let server = FakeIdentityServer()

    private func api(_ address: String, basePath: String = "/a") throws -> IdentityAPI {
        IdentityAPI(
            server: try #require(WebAddress(address)),
            basePath: try #require(BasePath(basePath)),
            transport: server,
            time: VirtualTime()
        )
    }

    /// Submits a password, and throws the error that the form shows.
    private func logIn(at api: IdentityAPI) async throws(LatchkeyError) {
        let reply = try await api.submit(
            FlowSubmission(method: "password", ["identifier": "a", "password": "pa55word"]),
            to: Flow(id: "f", kind: .login),
            token: nil,
            proof: "p"
        )
        if case .flow(let form, let next) = reply { throw FlowOutcome.continues(form, next: next).error() }
    }

    @Test(arguments: [
        ("https://id.example.com", "/a", "/a/sessions/whoami"),
        ("https://id.example.com/", "", "/sessions/whoami"),
        ("https://id.example.com/auth/", "/a", "/auth/a/sessions/whoami"),
    ])
    func `Requests use the configured URL and base path`(_ address: String, _ base: String, _ path: String)
        async throws
    {
        _ = try? await api(address, basePath: base).whoami("t")

        #expect(server.log == ["GET \(path)"])
    }

    @Test(arguments: [
        ("https://id.example.com", "/a", "https://id.example.com/a/self-service/"),
        ("https://ID.example.com:443/", "", "https://id.example.com/self-service/"),
        ("http://localhost:4433/auth/", "/a", "http://localhost:4433/auth/a/self-service/"),
    ])
    func `Proofs are created for the URL that the flow is submitted to`(
        _ address: String,
        _ base: String,
        _ url: String
    ) async throws {
        let api = try api(address, basePath: base)

        _ = try? await logIn(at: api)
        let request = try #require(server.requests.first)

        #expect(api.submissionURL(of: .login) == url + "login")
        #expect(api.submissionURL(of: .registration) == url + "registration")
        #expect(try #require(server.origins.first) + request.path == url + "login")
    }

    @Test(arguments: ["https://id.example.com//evil.example", "https://id.example.com///"])
    func `A path that looks like a host isn't passed to the transport`(_ address: String) async throws {
        let result = await outcome { try await api(address).beginFlow(.login) }

        // Trailing slashes are removed from the path, so they are harmless.
        #expect(result.code == (address.hasSuffix("/") ? nil : .invalidInput))
        #expect(server.refusals == 0)
    }

    @Test func `Secrets in error responses are redacted`() async throws {
        let text = #"""
            {"id":"f","ui":{"messages":[{"id":4000001,"type":"error","text":"pa55word is bad"}],"nodes":[{"type":"input","attributes":
            {"name":"password","type":"password"},"messages":[{"id":4000032,"type":"error","text":"pa55word: too short"}]}]}}
            """#
        server.plan("POST /a/self-service/login", .respond(.json(400, text)))

        let error = await outcome {
            try await logIn(at: api("https://id.example.com"))
        }.error

        #expect(error?.fields.map(\.name) == ["password"])
        var printed = "\(String(describing: error))"
        dump(error, to: &printed)
        #expect(!printed.contains("pa55word"))
    }

    @Test func `A cancelled task doesn't send any requests`() async throws {
        let api = try api("https://id.example.com")
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await outcome { try await api.beginFlow(.login) }
        }

        #expect(await task.value.code == .cancelled)
        #expect(server.log == [])
    }

    @Test(arguments: [
        (
            #"{"id":"f","ui":{"nodes":[],"messages":[{"id":4000006,"type":"error","text":"x"}]}}"#, 400,
            LatchkeyError.Code.invalidCredentials
        ),
        (
            #"{"id":"f","ui":{"nodes":[],"messages":[{"id":4000007,"type":"error","text":"x"}]}}"#, 400,
            .accountExists
        ),
        (
            #"{"id":"f","ui":{"nodes":[],"messages":[{"id":4010011,"type":"error","text":"x"}]}}"#, 400,
            .accountDisabled
        ),
        (
            #"{"id":"f","ui":{"nodes":[],"messages":[{"id":4999999,"type":"error","text":"x"}]}}"#, 400,
            .refused
        ),
        (#"{"error":{"code":400,"status":"Bad Request"}}"#, 400, .refused),
        (#"{"error":{"id":"self_service_flow_expired","code":410}}"#, 410, .flowExpired),
        (#"{"error":{"code":404,"status":"Not Found"}}"#, 404, .flowUnknown),
        (#"{"error":{"id":"device_certificate_required","code":403}}"#, 403, .certificateRequired),
        (#"{"error":{"id":"session_inactive","code":401}}"#, 401, .sessionEnded),
        (#"{"error":{"code":401,"status":"Unauthorized"}}"#, 401, .refused),
    ])
    func `Responses are mapped to error codes`(_ body: String, _ status: Int, _ code: LatchkeyError.Code)
        async throws
    {
        server.plan("POST /a/self-service/login", .respond(.json(status, body)))

        let result = await outcome {
            try await logIn(at: api("https://id.example.com"))
        }

        #expect(result.code == code)
        #expect((result.error?.cause as? ServerRefusal)?.status == status)
    }

    @Test(arguments: [
        (200, "<html>", LatchkeyError.Code.invalidResponse), (201, "", .invalidResponse),
        (204, "", .invalidResponse),
        (302, "", .invalidResponse), (400, "nginx", .invalidResponse), (401, "nginx", .invalidResponse),
        (404, "nginx", .invalidResponse), (407, "", .invalidResponse), (429, "", .tooManyRequests),
        (502, "", .serverFailed), (404, #"{"message":"Not Found"}"#, .invalidResponse),
        (404, #"{"error":"Not Found"}"#, .invalidResponse),
        (404, #"{"error":{"code":404,"message":"Not found.","status":"NOT_FOUND"}}"#, .invalidResponse),
        (404, #"{"error":{"code":404,"message":"Not found."}}"#, .invalidResponse),
        (403, #"{"error":{"code":"AccessDenied","message":"Access denied"}}"#, .invalidResponse),
    ])
    func `A response of an intermediary is no verdict`(
        _ status: Int,
        _ body: String,
        _ code: LatchkeyError.Code
    ) async throws {
        server.plan("POST /a/self-service/login", .respond(.json(status, body)))

        let error = await outcome {
            try await logIn(at: api("https://id.example.com"))
        }.error

        #expect(error?.code == code)
        #expect(error?.retry == .later)
        #expect((error?.cause as? UnrecognizedResponse)?.status == status)
    }

    @Test(arguments: ["text/html", "text/plain; charset=utf-8", "application/jsonp", nil])
    func `An error object with another media type is no verdict`(_ type: String?) async throws {
        var answer = HTTP.Response.refusal(401, "session_inactive")
        answer.headers["Content-Type"] = type
        server.plan("GET /a/sessions/whoami", .respond(answer))

        let error = await outcome { try await api("https://id.example.com").whoami("t") }.error

        #expect(error?.code == .invalidResponse)
        #expect(error?.cause is UnrecognizedResponse)
    }

    @Test(
        arguments: [
            ("30", .after(.seconds(30))), ("Sun, 06 Nov 1994 08:50:37 GMT", .after(.seconds(60))),
            ("-1", .after(.zero)), ("99999999999", .after(.seconds(86_400))),
            ("Sun, 06 Nov 1999 08:50:37 GMT", .after(.seconds(86_400))),
            ("soon", .later), (nil, .later),
        ] as [(String?, LatchkeyError.Retry)]
    )
    func `Errors contain the Retry-After time`(_ header: String?, _ retry: LatchkeyError.Retry) async throws {
        var answer = HTTP.Response.refusal(429, "too_many_requests")
        answer.headers["Date"] = "Sun, 06 Nov 1994 08:49:37 GMT"
        answer.headers["Retry-After"] = header
        server.plan("POST /identity/verification/flow/phone", .respond(answer))
        let phone = try #require(PhoneNumber("+439999999999"))

        let error = await outcome { try await api("https://id.example.com").sendCode(to: phone, flow: "f") }
            .error

        #expect(error?.retry == retry)
    }
}
