import LatchkeyServerCore
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

/// The exchanges of a real Kratos, made again with our server on the same schema.
@Suite(.onEachDatabase) struct `Exchanges of a real Kratos` {
    @Test(arguments: [
        "login-init", "login-get", "login-no-method", "login-password-missing", "login-password",
        "login-wrong-password", "login-init-with-session", "logout", "registration-init",
        "registration-password", "registration-bad-traits",
    ])
    func `have the same statuses, members, types, ids and fixed values here`(name: String) async throws {
        var settings = ServerSettings()
        settings.defaultSchema = "person"
        settings.basePath = "/"
        settings.verificationAfterRegistration = true
        let server = try await TestServer(settings: settings)
        let exchanges = try RecordedExchange.load(name)
        var replay = Replay(transport: server.transport())
        if name != "registration-password" { try await replay.register(personOf: exchanges) }

        for (index, exchange) in exchanges.enumerated() {
            let ours = try await replay.send(exchange.request)
            let place = "\(name) #\(index): \(exchange.request.method) \(exchange.request.path)"

            #expect(ours.status == exchange.answer.status, "\(place)")
            for field in exchange.answer.headers.keys where field != "X-Kratos-Authenticated-Identity-Id" {
                #expect(ours.headers[field] == exchange.answer.headers[field], "\(place) \(field)")
            }
            if exchange.answer.headers["X-Kratos-Authenticated-Identity-Id"] != nil {
                #expect(ours.headers["X-Kratos-Authenticated-Identity-Id"] != nil, "\(place)")
            }
            let body = ours.body.isEmpty ? JSONValue.string("") : try JSONCoding.decode(from: ours.body)
            let differences = StructuralComparison(ours: body, recorded: exchange.answer.body).differences
            #expect(differences == [], "\(place)")
        }
        await server.stop()
    }

    @Test(arguments: [
        (#"{"state": "choose_method"}"#, #"{"state": "sent_email"}"#),
        (
            #"{"ui": {"messages": [{"id": 4000006, "text": "a"}]}}"#,
            #"{"ui": {"messages": [{"id": 4000007, "text": "b"}]}}"#
        ),
        (#"{"nodes": []}"#, #"{"nodes": [{"group": "default"}]}"#),
        (#"{"refresh": false}"#, #"{"refresh": "false"}"#),
        (#"{"a": 1}"#, #"{"a": 1, "organization_id": null}"#),
        (#"{"a": 1, "extra": 1}"#, #"{"a": 1}"#),
        (#"{"error": {"id": "session_inactive"}}"#, #"{"error": {"id": "session_already_available"}}"#),
    ])
    func `are told apart by the comparison`(ours: String, recorded: String) throws {
        let comparison = StructuralComparison(
            ours: try JSONCoding.decode(from: Array(ours.utf8)),
            recorded: try JSONCoding.decode(from: Array(recorded.utf8))
        )

        #expect(!comparison.differences.isEmpty)
    }
}
