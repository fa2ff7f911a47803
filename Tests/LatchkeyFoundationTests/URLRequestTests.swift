import Foundation
import Latchkey
import LatchkeyFoundation
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct `URLRequest support` {
    private static let api = "https://api.example.com"

    /// Returns a client with a logged-in customer, and a server with an API that describes the requests it
    /// receives.
    private func client() async throws -> (client: LatchkeyClient, server: TestServer) {
        let server = try await TestServer()
        try await server.addCustomer(phone: TestAccount.phone, passcode: TestAccount.passcode)
        let device = TestDevice(server)
        device.network.serve(Self.api) { request in
            let text =
                "\(request.method.rawValue) \(request.path)?\(request.query ?? "") "
                + String(decoding: request.body, as: UTF8.self)
            return HTTP.Response(
                request.headers["Authorization"] == nil ? 401 : 201,
                headers: ["X-Name": request.headers["X-Name"] ?? ""],
                body: Array(text.utf8)
            )
        }
        let client = try device.client(apiOrigins: [Self.api], credential: .accessToken)
        try await client.signIn(phone: TestAccount.phone, password: TestAccount.passcode)
        return (client, server)
    }

    @Test func `Credentials are added to a request that the app sends itself`() async throws {
        let (client, server) = try await client()
        var request = URLRequest(url: try #require(URL(string: Self.api + "/orders?x=1#top")))
        request.httpMethod = "POST"
        request.setValue("Bearer old", forHTTPHeaderField: "Authorization")

        let authorization = try await client.authorize(&request)

        let value = try #require(request.value(forHTTPHeaderField: "Authorization"))
        #expect(value == authorization.headers["Authorization"] && value != "Bearer old")
        let url = try #require(request.url)
        let response = try #require(
            HTTPURLResponse(
                url: url,
                statusCode: 401,
                httpVersion: nil,
                headerFields: [:]
            )
        )
        #expect(client.reportResponse(response, for: authorization))
        await server.stop()
    }

    @Test(arguments: ["https://evil.example/", "http://api.example.com/", "file:///etc/passwd"])
    func `A request to another origin isn't changed`(url: String) async throws {
        let (client, server) = try await client()
        var request = URLRequest(url: try #require(URL(string: url)))

        do {
            try await client.authorize(&request)
            Issue.record("The request was authorized.")
        } catch {
            #expect([.originNotAllowed, .invalidInput].contains(error.code))
        }

        #expect(request.allHTTPHeaderFields?.isEmpty != false)
        await server.stop()
    }

    @Test func `All parts of a request are sent through the client's transport`() async throws {
        let (client, server) = try await client()
        var request = URLRequest(url: try #require(URL(string: Self.api + "/a%20b?x=%26&y#top")))
        request.httpMethod = "PUT"
        request.httpBody = Data("body".utf8)
        request.setValue("value", forHTTPHeaderField: "X-Name")

        let (data, response) = try await client.data(for: request)

        #expect(response.statusCode == 201)
        #expect(response.value(forHTTPHeaderField: "x-name") == "value")
        #expect(String(decoding: data, as: UTF8.self) == "PUT /a%20b?x=%26&y body")
        await server.stop()
    }

    @Test(arguments: [
        "/@jane", "/users?email=jane@example.com", "/a:b@c?d=@e#top@f", "/a%20b?x=%26&y#top", "#top",
    ])
    func `Every way to call an API sends the same request for a URL and drops the fragment`(
        _ rest: String
    ) async throws {
        let (client, server) = try await client()
        let text = Self.api + rest
        let url = try #require(URL(string: text))
        let parts = rest.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1)
        let path = parts.first.map { String($0) } ?? "/"
        let query = parts.count == 2 ? String(parts[1]) : nil

        let bodies = [
            try await client.data(from: text).0,
            try await client.data(from: url).0,
            try await client.data(for: URLRequest(url: url)).0,
            try await Data(client.send(HTTP.Request(.get, path, query: query), to: Self.api).body),
        ]

        for body in bodies { #expect(String(decoding: body, as: UTF8.self) == "GET \(path)?\(query ?? "") ") }
        #expect(try await client.authorization(for: text).origin == Self.api)
        #expect(try await client.authorization(for: url).origin == Self.api)
        await server.stop()
    }

    @Test(arguments: [
        ("https://user:hidden@api.example.com/me", "user information"),
        ("http://api.example.com/me", "must start with https://"),
        ("ftp://api.example.com/me", "scheme that is not supported"),
        ("https://api.example.com:0/me", "port"), ("/me", "no scheme"),
    ])
    func `Every way to call an API rejects a URL for the same reason`(_ text: String, _ reason: String)
        async throws
    {
        let (client, server) = try await client()
        let url = try #require(URL(string: text))

        let errors = [
            await failure { try await client.data(from: text) },
            await failure { try await client.data(from: url) },
            await failure { try await client.data(for: URLRequest(url: url)) },
            await failure { try await client.authorization(for: text) },
            await failure { try await client.authorization(for: url) },
        ]

        for error in errors {
            #expect(error?.code == .invalidInput)
            #expect(error?.message.contains(reason) == true && error?.message.contains("hidden") == false)
        }
        await server.stop()
    }

    private func failure<Value>(_ call: () async throws -> Value) async -> LatchkeyError? {
        do {
            _ = try await call()
            return nil
        } catch {
            return error as? LatchkeyError
        }
    }

    @Test func `A request without a path is sent to the root path`() async throws {
        let (client, server) = try await client()

        let (data, _) = try await client.data(for: URLRequest(url: try #require(URL(string: Self.api))))

        #expect(String(decoding: data, as: UTF8.self) == "GET /? ")
        await server.stop()
    }

    @Test(arguments: [
        "https://evil.example/", "https://user@api.example.com/", "https://api.example.com:444/",
        "https://api.example.com@evil.example/",
    ]) func `The client's transport only sends requests to listed origins`(url: String) async throws {
        let (client, server) = try await client()
        let request = URLRequest(url: try #require(URL(string: url)))

        await #expect(throws: LatchkeyError.self) { try await client.data(for: request) }
        await server.stop()
    }
}
