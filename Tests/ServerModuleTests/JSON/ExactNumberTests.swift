import LatchkeyModel
import LatchkeySelfService
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Numbers of any size` {
    private static let schema = """
        {"type": "object", "properties": {"traits": {"type": "object", "properties": {
          "email": {"type": "string", "format": "email",
            "ory.sh/kratos": {"credentials": {"password": {"identifier": true}}}},
          "count": {"type": "integer", "maximum": 18446744073709551615},
          "free": {"type": "object"}}}}}
        """
    private static let numbers = "[18446744073709551615,-9223372036854775809,1E400,1.10,1.0,-0.0,1e2,7]"

    private func server() async throws -> AdminServer {
        try await AdminServer(schema: "own", schemas: ["own": Self.schema])
    }

    private func body(count: String, numbers: String = numbers) -> String {
        """
        {"schema_id": "own", "state": "active", \
        "traits": {"email": "a@example.org", "count": \(count), "free": {"n": \(numbers)}}, \
        "metadata_public": {"n": \(numbers)}, "metadata_admin": {"n": \(numbers)}, \
        "credentials": {"password": {"config": {"password": "\(SelfServiceServer.password)"}}}}
        """
    }

    private func text(_ answer: Answer) -> String {
        "\(String(decoding: answer.response.body, as: UTF8.self))"
    }

    @Test func `Metadata and free-form traits are returned as they were written`() async throws {
        let server = try await server()
        let created = await server.send(.post, "/admin/identities", body(count: "18446744073709551615"))
        let id = try #require(created["id"]?.text, "\(created.body)")
        let member = #""n":\#(Self.numbers)"#

        #expect(text(created).components(of: member) == 3)
        #expect(text(created).contains(#""count":18446744073709551615"#))
        #expect(text(await server.send(.get, "/admin/identities/\(id)")).components(of: member) == 3)
        #expect(text(await server.send(.get, "/admin/identities")).components(of: member) == 3)

        let login = try await server.people.login("a@example.org")
        #expect(login.status == 200)
        let whoami = await server.people.get("/sessions/whoami", token: login.sessionToken)
        #expect(text(whoami).components(of: member) == 2)
        let export = await server.people.get("/account/export", token: login.sessionToken)
        #expect(export.status == 200)
        #expect(text(export).components(of: member) >= 2)
    }

    @Test func `A patch keeps the numbers that it does not change`() async throws {
        let server = try await server()
        let created = await server.send(.post, "/admin/identities", body(count: "1"))
        let id = try #require(created["id"]?.text)

        let patched = await server.send(
            .patch,
            "/admin/identities/\(id)",
            """
            [{"op": "test", "path": "/metadata_admin/n/2", "value": 10E399},
             {"op": "test", "path": "/metadata_admin/n/3", "value": 1.1},
             {"op": "replace", "path": "/metadata_public/n/7", "value": 8.0}]
            """
        )

        #expect(patched.status == 200, "\(patched.body)")
        #expect(text(patched).components(of: #""n":\#(Self.numbers)"#) == 2)
        #expect(text(patched).contains(#""n":\#(Self.numbers.replacing(",7]", with: ",8.0]"))"#))
        let refused = await server.send(
            .patch,
            "/admin/identities/\(id)",
            #"[{"op": "test", "path": "/metadata_admin/n/0", "value": 18446744073709551616}]"#
        )
        #expect(refused.status == 400)
    }

    @Test(arguments: [
        ("1.0", 201), ("100e-2", 201), ("18446744073709551615", 201), ("18446744073709551615.0", 201),
        ("18446744073709551616", 400), ("1.5", 400), ("1E400", 400), (#""1""#, 400),
    ])
    func `An integer in a schema has no fraction and can have any size`(count: String, status: Int)
        async throws
    {
        let server = try await server()
        let answer = await server.send(.post, "/admin/identities", body(count: count))

        #expect(answer.status == status, "\(answer.body)")
        if status == 201 { #expect(text(answer).contains(#""count":\#(count),"#)) }
    }

    @Test(arguments: [(29, 201), (30, 400), (100, 400)])
    func `A body that is nested too deeply is rejected with the reason`(depth: Int, status: Int) async throws
    {
        let server = try await server()
        let nested = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        let answer = await server.send(.post, "/admin/identities", body(count: "1", numbers: nested))

        #expect(answer.status == status)
        if status == 400 { #expect(answer.reason == "The body is nested more than 32 levels deep.") }
    }

    @Test func `A flow names the reason for a body that is nested too deeply`() async throws {
        let people = try await server().people
        var nested = JSONValue.null
        for _ in 0..<40 { nested = .array([nested]) }
        let answer = try await people.submit(.login, await people.begin(.login), .object(["x": nested]))

        #expect(answer.status == 400)
        #expect(text(answer).contains("The body is nested more than 32 levels deep."))
    }
}

extension String {
    /// Returns how often another string occurs in this one.
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
