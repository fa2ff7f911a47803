import LatchkeyModel
import LatchkeySelfService
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

/// PostgreSQL can't store this character in text, so strings must not contain it.
@Suite(.onEachDatabase) struct `Handling of U+0000` {
    @Test(arguments: [
        ("GET", "/admin/identities/by/external/a%00b", ""),
        ("GET", "/admin/identities?credentials_identifier=%00", ""),
        ("GET", "/admin/courier/messages?recipient=a%00", ""),
        ("GET", "/admin/courier/messages?recipient=a\u{0}", ""),
        ("POST", "/admin/identities", AdminServer.body(1, #""external_id": "a\u0000b""#)),
        ("POST", "/admin/identities", AdminServer.body(1, #""metadata_admin": {"a\u0000b": 1}"#)),
        ("POST", "/admin/identities", #"{"traits": {"email": "a\u0000@example.org"}}"#),
        ("PATCH", "/admin/identities", #"{"identities": [{"create": {"schema_id": "\u0000"}}]}"#),
        ("POST", "/admin/recovery/code", #"{"identity_id": "\u0000"}"#),
    ])
    func `The admin API rejects U+0000`(method: String, path: String, body: String) async throws {
        let server = try await AdminServer()

        let answer = await server.send(HTTP.Method(rawValue: method), path, body)

        #expect(answer.status == 400)
        #expect(answer.reason.contains("U+0000"))
    }

    @Test(arguments: FlowKind.entrances, ["application/json", "application/x-www-form-urlencoded"])
    func `Self-service routes reject U+0000 with a message in the flow`(kind: FlowKind, type: String)
        async throws
    {
        let server = try await SelfServiceServer()
        let flow = await server.begin(kind)
        let body =
            type == "application/json"
            ? #"{"method": "password", "identifier": "a\u0000", "password": "b"}"#
            : "method=password&identifier=a%00&password=b"

        let answer = await server.send(
            HTTP.Request(
                .post,
                "/a/self-service/\(kind.rawValue)",
                query: "flow=\(flow)",
                headers: ["Content-Type": type],
                body: Array(body.utf8)
            )
        )

        #expect(answer.status == 400)
        #expect(answer.messages == [.validation])
        #expect(answer.body["ui"]?["messages"].map { "\($0)".contains("U+0000") } == true)
        #expect(server.reported.withLock { $0 } == [])
    }

    @Test(arguments: ["phoneNumber", "flowId"])
    func `Phone verification rejects U+0000`(member: String) async throws {
        let server = try await SelfServiceServer(schema: "customer")
        let flow = await server.begin(.registration)
        var members: [String: JSONValue] = [
            "phoneNumber": "+439999999999", "phoneType": "PRIMARY", "flowType": "REGISTRATION",
            "flowId": .string(flow),
        ]
        members[member] = "\u{0}"

        let answer = try await server.plain(
            .post,
            Route.phoneVerification,
            .object(members),
            from: "192.0.2.1"
        )

        #expect(answer.status == 400)
        #expect(answer.reason.contains("U+0000"))
    }

    @Test(arguments: [
        ("%00", true), ("a%00", true), ("%%00", true), ("%0%00", true), ("\u{0}", true), ("%01", false),
        ("%0", false), ("%", false), ("00", false), ("%2500", false), ("%100", false), ("", false),
    ])
    func `U+0000 is recognized when it is percent-encoded`(query: String, isRefused: Bool) async throws {
        let server = try await SelfServiceServer()

        let answer = await server.send(HTTP.Request(.get, "/a/schemas", query: query))

        #expect(answer.status == (isRefused ? 400 : 200))
    }

    @Test(arguments: [("token=a%00", 400), ("token=a", 200), ("tok%00en=a", 400)])
    func `Token revocation rejects U+0000`(body: String, status: Int) async throws {
        let server = try await TestServer()
        let request = HTTP.Request(
            .post,
            Route.revocation,
            headers: ["Content-Type": "application/x-www-form-urlencoded"],
            body: Array(body.utf8)
        )

        #expect(await server.handler.respond(to: request, from: .inProcess).status == status)
        await server.stop()
    }
}
