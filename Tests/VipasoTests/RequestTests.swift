import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing
import VipasoPay
import VipasoSDK

@MainActor
@Suite(.onEachDatabase) struct `Vipaso requests to the app's API` {
    private static let api = "https://api.example.com"

    /// Returns an app with a logged-in business user, and an API that accepts everything.
    private func app() async throws -> (app: VipasoApp, vipaso: any VipasoRequests & VipasoSDKProtocol) {
        let app = try VipasoApp(await TestServer.withUsers())
        app.transport.serve(Self.api) { request in
            HTTP.Response(request.headers["Authorization"] == nil ? 401 : 200)
        }
        await app.logInBusiness()
        return (app, app.vipaso)
    }

    @Test func `A request contains the user's credentials`() async throws {
        let (_, vipaso) = try await app()

        #expect(try await vipaso.send(HTTP.Request(.get, "/me"), to: Self.api).status == 200)
        let authorization = try await vipaso.authorization(.get, for: Self.api + "/me")
        #expect(authorization.headers["Authorization"]?.hasPrefix("Bearer ") == true)
        #expect(authorization.origin == Self.api)
    }

    @Test(arguments: ["/@jane", "/users?email=jane@example.com", "/me#top@1"])
    func `Credentials are returned for a URL with an at sign or a fragment`(_ rest: String) async throws {
        let (_, vipaso) = try await app()

        #expect(try await vipaso.authorization(.get, for: Self.api + rest).origin == Self.api)
    }

    @Test func `A request to another origin is not sent`() async throws {
        let (_, vipaso) = try await app()

        await #expect(throws: VipasoError.self) {
            try await vipaso.send(HTTP.Request(.get, "/me"), to: "https://evil.example")
        }
        let error = await #expect(throws: VipasoError.self) {
            try await vipaso.authorization(.get, for: "https://evil.example/me")
        }
        guard case .configuration = error else {
            Issue.record("Unexpected error: \(String(describing: error))")
            return
        }
    }

    @Test func `A 401 logs the user out if the identity server has ended the session`() async throws {
        let (app, vipaso) = try await app()
        try await app.endSessionOnServer()
        app.transport.serve(Self.api) { _ in HTTP.Response(401) }

        #expect(try await vipaso.send(HTTP.Request(.get, "/me"), to: Self.api).status == 401)

        #expect(await app.delegate.changes(atLeast: 2) == [true, false])
    }

    @Test func `A 401 that the app's own network stack received also logs the user out`() async throws {
        let (app, vipaso) = try await app()
        let authorization = try await vipaso.authorization(.get, for: Self.api + "/me")
        try await app.endSessionOnServer()

        vipaso.reportResponse(status: 401, headers: [:], for: authorization)

        #expect(await app.delegate.changes(atLeast: 2) == [true, false])
        await #expect(throws: VipasoError.loggedOut) {
            try await vipaso.authorization(.get, for: Self.api + "/me")
        }
    }

    @Test func `A Pay user's requests contain the Pay user's credentials`() async throws {
        let server = try await TestServer.withUsers()
        var configuration = VipasoApp.configuration(server, MemoryStore(), server.transport())
        configuration.apiOrigins = [Self.api]
        let pay = try VipasoPayClient(configuration: configuration)

        await #expect(throws: VipasoError.loggedOut) {
            try await pay.authorization(for: Self.api + "/me")
        }
    }
}
