import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

/// A route can't accept a credential that it doesn't declare, even if its handler asks for one.
@Suite("Undeclared credentials", .onEachDatabase)
struct UndeclaredCredentialTests {
    /// Sends a request with a valid session token to a route with the given declaration.
    ///
    /// The handler asks for a required session.
    private func answer(declaring credentials: RouteCredentials) async throws -> (HTTP.Response, [String]) {
        let server = try await SelfServiceServer()
        let token = try #require(try await server.register().sessionToken)
        let authenticator = SessionAuthenticator(
            sessions: SessionRepository(database: server.database),
            privilegedAge: .seconds(3600),
            cookie: "latchkey_session",
            origins: TrustedOrigins([]),
            duties: server.assembly.accounts.duties
        )
        let reported = Locked<[String]>([])
        let router = Router(
            [
                Endpoint(
                    .get,
                    "/things",
                    accepts: credentials,
                    operation: APIOperation("test", "A test.", [])
                ) { context in
                    _ = try await authenticator.requiredSession(of: context)
                    return HTTP.Response(204)
                }
            ],
            basePath: "",
            time: server.time
        ) { error, _, _ in reported.withLock { $0.append("\(type(of: error))") } }
        let request = HTTP.Request(.get, "/things", headers: ["X-Session-Token": token])
        return (await router.respond(to: request, from: .inProcess), reported.withLock { $0 })
    }

    @Test(
        arguments: [
            .none, .adminToken, .body(BodyCredentials([.sessionToken])),
            .session(SessionCredentials(.considered)), .session(SessionCredentials(.optional)),
        ] as [RouteCredentials]
    )
    func `A handler that asks for a session that its route doesn't declare fails`(declared: RouteCredentials)
        async throws
    {
        let (answer, reported) = try await answer(declaring: declared)
        #expect(answer.status == 500)
        #expect(reported == ["UndeclaredCredentialError"])
    }

    @Test func `A declared session is accepted`() async throws {
        let (answer, reported) = try await answer(declaring: .session())
        #expect(answer.status == 204)
        #expect(reported.isEmpty)
    }
}
