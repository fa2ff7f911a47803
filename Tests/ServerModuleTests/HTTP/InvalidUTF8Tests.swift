import LatchkeyModel
import LatchkeySelfService
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Requests that are not UTF-8` {
    private static let form = "application/x-www-form-urlencoded"

    @Test(arguments: [
        ("/admin/identities?credentials_identifier=%E9", "The query is not UTF-8: error at byte 23."),
        ("/admin/identities?page_size=1&x=%C3", "The query is not UTF-8: error at byte 14."),
        ("/admin/courier/messages?recipient=a%FF", "The query is not UTF-8: error at byte 11."),
        ("/admin/identities/by/external/a%E9b", "The path is not UTF-8: error at byte 31."),
        ("/admin/identities/%FF", "The path is not UTF-8: error at byte 18."),
    ])
    func `The admin API rejects paths and queries`(path: String, reason: String) async throws {
        let server = try await AdminServer()
        _ = await server.create()

        let answer = await server.send(.get, path)

        #expect(answer.status == 400)
        #expect(answer.reason == reason)
    }

    @Test(arguments: [
        ("/a/self-service/login/api", "return_to=%E9"), ("/a/self-service/registration/flows", "id=%FF"),
        ("/a/schemas", "%C3=1"), ("/a/schemas/%FF", ""),
    ])
    func `Self-service routes reject paths and queries with the error envelope`(
        path: String,
        query: String
    ) async throws {
        let server = try await SelfServiceServer()

        let answer = await server.send(HTTP.Request(.get, path, query: query))

        #expect(answer.status == 400)
        #expect(answer.body["error"]?["code"] == .integer(400))
        #expect(answer.reason.contains("not UTF-8"))
        #expect(try await server.count("flows") == 0)
    }

    @Test(arguments: ["P%E4sswort-lang-genug", "%FFsswort-lang-genug", "P\u{E4}sswort-lang-genug%C3"])
    func `A password that is not UTF-8 neither registers nor logs in`(password: String) async throws {
        let server = try await SelfServiceServer()
        let fields = "traits.email=person1%40example.org&traits.phone=%2B46701000001"
        let registration = await post(
            .registration,
            "\(fields)&method=password&password=\(password)",
            to: server
        )

        #expect(registration.status == 400)
        #expect(registration.messages == [.validation])
        #expect("\(registration.body)".contains("The body is not UTF-8: error at byte"))
        #expect(!"\(registration.body)".contains("sswort"))
        #expect(try await server.count("identities") == 0)

        try await server.register(password: "P\u{FFFD}sswort-lang-genug")
        let login = await post(
            .login,
            "method=password&identifier=person1%40example.org&password=\(password)",
            to: server
        )
        #expect(login.status == 400)
        #expect(login.messages == [.validation])
        #expect(try await server.count("sessions") == 1)
    }

    @Test func `U+FFFD that was sent as UTF-8 is an ordinary character`() async throws {
        let server = try await SelfServiceServer()
        try await server.register(password: "P\u{FFFD}sswort-lang-genug")

        for (password, status) in [("P%EF%BF%BDsswort-lang-genug", 200), ("P%C3%A4sswort-lang-genug", 400)] {
            let login = await post(
                .login,
                "method=password&identifier=person1%40example.org&password=\(password)",
                to: server
            )
            #expect(login.status == status, "\(password)")
        }
    }

    @Test(arguments: FlowKind.entrances)
    func `A JSON body that is not UTF-8 is rejected with a message in the flow`(kind: FlowKind) async throws {
        let server = try await SelfServiceServer()
        let body = Array(#"{"method": "password", "password": "P"#.utf8) + [0xE4] + Array(#""}"#.utf8)
        let answer = await post(kind, body, type: "application/json", to: server)

        #expect(answer.status == 400)
        #expect(answer.messages == [.validation])
        #expect("\(answer.body)".contains("The body is not UTF-8: error at byte 37."))
    }

    @Test(arguments: [Route.token, Route.revocation], ["", "x=%FF"])
    func `OAuth endpoints reject bodies and queries with an OAuth error`(path: String, query: String)
        async throws
    {
        let server = try await TestServer()
        let request = HTTP.Request(
            .post,
            path,
            query: query,
            headers: ["Content-Type": Self.form],
            body: Array((query.isEmpty ? "token=a%E9" : "token=a").utf8)
        )

        let answer = Answer(await server.handler.respond(to: request, from: .inProcess))

        #expect(answer.status == 400)
        #expect(answer["error"] == "invalid_request")
        #expect(
            answer["error_description"]?.text
                == (query.isEmpty
                    ? "The body is not UTF-8: error at byte 7." : "The query is not UTF-8: error at byte 2.")
        )
        await server.stop()
    }

    private func post(_ kind: FlowKind, _ body: String, to server: SelfServiceServer) async -> Answer {
        await post(kind, Array(body.utf8), type: Self.form, to: server)
    }

    private func post(
        _ kind: FlowKind,
        _ body: [UInt8],
        type: String,
        to server: SelfServiceServer
    ) async -> Answer {
        await server.send(
            HTTP.Request(
                .post,
                "/a/self-service/\(kind.rawValue)",
                query: "flow=\(await server.begin(kind))",
                headers: ["Content-Type": type],
                body: body
            )
        )
    }
}
