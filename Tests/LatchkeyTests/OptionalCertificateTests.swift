import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Accounts without a device certificate` {
    private static let email = "user@example.org"
    private static let password = "correct horse battery"
    private static let certificates = "PUT /identity/pki/client/certificates"
    private static let loginLines = ["GET /a/self-service/login/api", "POST /a/self-service/login"]

    /// Returns an app and an account with the `person` schema, which does not require a certificate.
    private static func app(_ credential: Credential) async throws -> TestApp<MemoryStore> {
        let server = try await TestServer()
        try await server.addPerson(email: email, phone: TestAccount.phone, password: password)
        return try TestApp(server, store: MemoryStore(), credential: credential)
    }

    @Test func `A user with the person schema can log in without a certificate`() async throws {
        let app = try await Self.app(.sessionToken)

        let session = try await app.client.signIn(email: Self.email, password: Self.password)

        #expect(app.requestLines == Self.loginLines)
        #expect(session.identity.email?.address == Self.email)
        #expect(await app.client.diagnose().certificate == nil)
        let restarted = try app.restarted()
        #expect(restarted.client.sessionState.session == session)
        #expect(try await restarted.client.checkSession().session != nil)
    }

    @Test func `Users with the person schema get a certificate if the app uses access tokens`() async throws {
        let app = try await Self.app(.accessToken)

        try await app.client.signIn(email: Self.email, password: Self.password)

        #expect(app.requestLines == Self.loginLines + [Self.certificates])
        #expect(try await app.callAPI() == 200)
    }

    @Test(arguments: MissingRoute.allCases)
    func `Users can log in to a server that has no certificate route`(_ missing: MissingRoute) async throws {
        let app = try await Self.app(.sessionToken)
        let client = try Self.client(of: app, missing: missing)

        try await client.signIn(email: Self.email, password: Self.password)

        #expect(client.sessionState.session != nil)
        #expect(try await client.checkSession().session != nil)
    }

    @Test func `A proxy that hides the certificate route does not make certificates optional`() async throws {
        let server = try await TestServer()
        try await server.addCustomer(phone: TestAccount.phone, passcode: TestAccount.passcode)
        let app = try TestApp(server)
        let client = try Self.client(of: app)

        let error = await failure {
            try await client.signIn(phone: TestAccount.phone, password: TestAccount.passcode)
        }

        #expect(error?.code == .certificateRequired)
        #expect(client.sessionState == .signedOut)
        #expect(app.isClean)
    }

    private static func client(
        of app: TestApp<MemoryStore>,
        missing: MissingRoute = .notFound
    ) throws -> LatchkeyClient {
        try LatchkeyClient(server: TestServer.url, app: "com.example.shop") {
            $0.store = app.store
            $0.transport = PlainKratos(network: app.network, missing: missing)
            $0.languages = []
            $0.time = app.clock
        }
    }
}

/// How a server responds to requests for routes that don't exist.
enum MissingRoute: CaseIterable {
    case notFound
    case methodNotAllowed
    /// Ory Kratos responds like this to requests other than GET, because it checks the CSRF token first.
    case csrfViolation

    var response: HTTP.Response {
        switch self {
        case .notFound: HTTP.Response(404, body: Array("404 page not found\n".utf8))
        case .methodNotAllowed: HTTP.Response(405, body: Array("Method Not Allowed".utf8))
        case .csrfViolation:
            .json(403, #"{"error":{"id":"security_csrf_violation","code":403}}"#)
        }
    }
}

/// A transport that hides all of the server's routes except for those that Ory Kratos also has.
private struct PlainKratos: Transport {
    let network: TestTransport
    let missing: MissingRoute

    func send(
        _ request: HTTP.Request,
        to origin: String,
        limits: RequestLimits
    ) async throws(TransportError) -> HTTP.Response {
        guard request.path.hasPrefix("/a/") else { return missing.response }
        var response = try await network.send(request, to: origin, limits: limits)
        response.headers["Latchkey-Device-Certificate"] = nil
        return response
    }
}
