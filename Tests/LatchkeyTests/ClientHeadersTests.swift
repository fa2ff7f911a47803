import Latchkey
import LatchkeyCourier
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Client header fields` {
    private static let api = "https://api.example.com"

    @Test func `Requests contain the app and the SDK, and the languages only for the identity server`()
        async throws
    {
        let server = try await TestServer()
        let device = TestDevice(server)
        device.network.serve(Self.api) { _ in HTTP.Response(200) }
        let client = try device.client(
            app: "com.example.shop",
            apiOrigins: [Self.api],
            languages: ["sv-FI", "fi"],
            credential: .accessToken
        )

        let sent = try await client.signUp.begin(phone: TestAccount.phone)
        let verified = try await sent.verify(server.code(for: TestAccount.phone))
        try await verified.finish(password: TestAccount.passcode, name: TestAccount.name)
        try await client.checkSession()
        _ = try await client.data(from: Self.api + "/me")
        _ = try await client.stream(HTTP.Request(.get, "/me"), to: Self.api)
        _ = await client.diagnose()

        let requests = device.network.exchanges.map(\.request)
        let own = requests.filter { $0.path != "/me" }
        #expect(Set(own.map(\.path)).isSuperset(of: ["/oauth2/token", "/version", "/a/sessions/whoami"]))
        for request in own {
            #expect(request.headers.all("User-Agent") == ["com.example.shop Latchkey/\(Release.version)"])
            #expect(request.headers.all("Accept-Language") == ["sv-FI, fi;q=0.9"])
        }
        let foreign = requests.filter { $0.path == "/me" }
        #expect(foreign.count == 2)
        for request in foreign {
            #expect(request.headers.all("User-Agent") == ["com.example.shop Latchkey/\(Release.version)"])
            #expect(request.headers["Accept-Language"] == nil)
        }
        await server.stop()
    }

    @Test func `The app's own User-Agent is kept`() async throws {
        let server = try await TestServer()
        try await server.addCustomer(phone: TestAccount.phone, passcode: TestAccount.passcode)
        let device = TestDevice(server)
        device.network.serve(Self.api) { request in
            HTTP.Response(200, body: Array(request.headers.all("User-Agent").joined(separator: "|").utf8))
        }
        let client = try device.client(apiOrigins: [Self.api])
        try await client.signIn(phone: TestAccount.phone, password: TestAccount.passcode)

        let request = HTTP.Request(.get, "/me", headers: ["user-agent": "Shop/2"])
        let answer = try await client.send(request, to: Self.api)
        let streamed = try await client.stream(request, to: Self.api)

        #expect(answer.body == Array("Shop/2".utf8))
        #expect(try await streamed.body.collected(upTo: 100) == Array("Shop/2".utf8))
        await server.stop()
    }

    @Test(arguments: [
        ([], "is your"), (["fr"], "is your"), (["sv-FI"], "är din kod"), (["fr", "fi"], "koodi"),
    ])
    func `The client's languages determine the language of text messages`(
        _ languages: [String],
        _ words: String
    ) async throws {
        let server = try await TestServer()
        let client = try TestDevice(server).client(languages: languages)

        _ = try await client.signUp.begin(phone: TestAccount.phone)
        _ = try await server.code(for: TestAccount.phone)

        let text = try #require(server.codes.messages(for: TestAccount.phone).last?.body.exposed)
        #expect(text.lowercased().contains(words), "\(text)")
        await server.stop()
    }

    @Test func `The list of sessions contains the app's name`() async throws {
        let server = try await TestServer()
        try await server.addCustomer(phone: TestAccount.phone, passcode: TestAccount.passcode)
        let device = TestDevice(server)
        let client = try device.client(app: "com.example.shop")
        try await client.signIn(phone: TestAccount.phone, password: TestAccount.passcode)

        let (body, _) = try await client.data(from: TestServer.url + "/a/sessions/whoami")

        let session = try JSONCoding.decode(JSONValue.self, from: Array(body))
        guard case .array(let devices)? = session["devices"] else {
            Issue.record("The session has no devices.")
            return
        }
        #expect(devices.map { $0["user_agent"]?.text } == ["com.example.shop Latchkey/\(Release.version)"])
        await server.stop()
    }

    @Test func `An invalid language tag is rejected`() async throws {
        let server = try await TestServer()
        let error = await failure { try TestDevice(server).client(languages: ["sv\r\nX: y"]) }

        #expect(error?.code == .invalidInput)
        await server.stop()
    }
}
