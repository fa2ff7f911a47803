import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Rotating the secret of a client` {
    private let server: ClientServer

    init() async throws {
        server = try await ClientServer()
    }

    private func rotate(_ body: String = "") async -> Answer {
        await server.admin.send(.post, "/admin/clients/shop/secrets/rotate", body)
    }

    @Test func `Both secrets are valid until the earlier one expires`() async throws {
        let old = try await server.create()
        let answer = await rotate(#"{"previous_secret_lifespan": "1h"}"#)

        #expect(answer.status == 200, "\(answer.reason)")
        let new = try #require(answer["client_secret"]?.text)
        #expect(new != old)
        #expect(try await server.accepted(old, new) == [true, true])
        server.time.advance(by: .seconds(3599))
        #expect(try await server.accepted(old, new) == [true, true])
        server.time.advance(by: .seconds(1))
        #expect(try await !server.accepts(old))
        #expect(try await server.accepts(new))
        #expect(try await server.actions().last == "client.secret.rotated")
    }

    @Test func `The earlier secret is valid for a day by default, and can be made invalid before`()
        async throws
    {
        let old = try await server.create()
        let answer = await rotate()
        let end = answer["latchkey"]?["previous_secret_expires_at"]?.text
        #expect(end.flatMap { Timestamp(rfc3339: $0) } == server.time.now + .seconds(86_400))

        let finished = await server.admin.send(.delete, "/admin/clients/shop/secrets/rotate")

        #expect(finished.status == 200 && finished["client_secret"] == nil)
        #expect(finished["latchkey"]?["previous_secret_expires_at"] == nil)
        #expect(try await !server.accepts(old))
        #expect(try await server.accepts(answer["client_secret"]?.text ?? ""))
        #expect(try await server.actions().last == "client.secret.revoked")
    }

    @Test func `At most two secrets are valid`() async throws {
        let first = try await server.create()
        let second = try #require(await rotate()["client_secret"]?.text)
        let third = try #require(await rotate()["client_secret"]?.text)

        #expect(try await !server.accepts(first))
        #expect(try await server.accepted(second, third) == [true, true])
    }

    @Test func `A chosen secret can replace a generated one`() async throws {
        let old = try await server.create()
        let answer = await rotate(#"{"client_secret": "correct horse"}"#)

        #expect(answer["client_secret"] == "correct horse")
        #expect(try await server.accepted(old, "correct horse") == [true, true])
        #expect(try await !server.accepts("incorrect horse"))
    }

    @Test func `A secret that is set directly replaces both secrets at once`() async throws {
        let first = try await server.create()
        let second = try #require(await rotate()["client_secret"]?.text)
        let patch = #"[{"op": "replace", "path": "/client_secret", "value": "correct horse"}]"#
        let answer = await server.admin.send(.patch, "/admin/clients/shop", patch)

        #expect(answer.status == 200 && answer["client_secret"] == "correct horse")
        #expect(try await server.accepted(first, second) == [false, false])
        #expect(try await server.accepts("correct horse"))
    }

    @Test(arguments: [
        #"{"previous_secret_lifespan": "2161h"}"#, #"{"previous_secret_lifespan": "-1h"}"#,
        #"{"previous_secret_lifespan": 5}"#, #"{"client_secret": "short"}"#, #"{"client_secret": 5}"#, "[]",
        "x",
    ])
    func `An invalid rotation changes nothing`(body: String) async throws {
        let old = try await server.create()

        #expect(await rotate(body).status == 400)
        #expect(try await server.accepts(old))
        #expect(try await server.actions().last == "client.created")
    }

    @Test func `A public client has no secret to rotate`() async throws {
        _ = await server.admin.send(
            .post,
            "/admin/clients",
            #"{"client_id": "shop", "token_endpoint_auth_method": "none"}"#
        )

        #expect(await rotate().status == 400)
        #expect(await server.admin.send(.delete, "/admin/clients/shop/secrets/rotate").status == 400)
    }
}
