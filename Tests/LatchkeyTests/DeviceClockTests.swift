import Latchkey
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import Testing

/// Uses bound access tokens at an API that compares the time in proofs with its own clock (RFC 9449, section 4.3) and
/// sends no nonces.
@Suite(.timeLimit(.minutes(10))) struct `Proofs of a device with a wrong clock` {
    private static let skews = [-31_536_000, -7200, -300, 300, 7200, 31_536_000]

    /// Returns an app with a logged-in customer.
    private static func app(
        skew: Int,
        datesFromServer: Bool,
        datesFromAPI: Bool
    ) async throws -> TestApp<MemoryStore> {
        let server = try await TestServer()
        try await server.addCustomer(phone: TestAccount.phone, passcode: TestAccount.passcode)
        let app = try TestApp(
            server,
            store: MemoryStore(),
            credential: .boundAccessToken,
            clockSkew: .seconds(skew)
        )
        let time = server.time
        app.network.serve(TestServer.url) { request in
            var response = await server.handler.respond(to: request, from: .inProcess)
            if datesFromServer { response.headers["Date"] = time.now.httpDate }
            return response
        }
        app.network.serve(TokenCheckingAPI.url) { request in
            var response = HTTP.Response(200)
            if !Self.isCurrent(request.headers["DPoP"], at: time.now) {
                response.status = 401
                response.headers["WWW-Authenticate"] = #"DPoP error="invalid_dpop_proof""#
            }
            if datesFromAPI { response.headers["Date"] = time.now.httpDate }
            return response
        }
        try await app.logIn()
        return app
    }

    private static func isCurrent(_ proof: String?, at now: Timestamp) -> Bool {
        guard let payload = proof?.split(separator: ".").dropFirst().first.flatMap({ Base64URL.decode($0) }),
            let claims = try? JSONCoding.decode(JSONValue.self, from: payload),
            case .integer(let seconds)? = claims["iat"]
        else { return false }
        let difference = Timestamp(seconds: seconds) - now
        return difference > .seconds(-60) && difference < .seconds(60)
    }

    @Test(arguments: skews)
    func `Proofs contain the identity server's time`(_ skew: Int) async throws {
        let app = try await Self.app(skew: skew, datesFromServer: true, datesFromAPI: false)

        for _ in 1...3 { #expect(try await app.callAPI() == 200) }

        #expect(app.network.exchanges.count { $0.request.path == "/orders" } == 3)
        #expect(app.tokenGrants == 1)
        await app.server.stop()
    }

    @Test(arguments: skews)
    func `A proof that an API rejects is replaced by one with the API's time`(_ skew: Int) async throws {
        let app = try await Self.app(skew: skew, datesFromServer: false, datesFromAPI: true)

        for _ in 1...3 { #expect(try await app.callAPI() == 200) }

        #expect(app.network.exchanges.count { $0.request.path == "/orders" } == 4)
        #expect(app.tokenGrants == 1)
        await app.server.stop()
    }

    @Test func `Without a server's time, the error names the clock, and no token is refreshed`() async throws
    {
        let app = try await Self.app(skew: 300, datesFromServer: false, datesFromAPI: false)

        let error = await failure { try await app.callAPI() }

        #expect(error?.code == .proofRejected && error?.message.contains("clock") == true)
        #expect(error?.isStillSignedIn == true)
        #expect(app.tokenGrants == 1 && app.isLoggedIn)
        await app.server.stop()
    }

    @Test func `A proof that is rejected after the token was refreshed is reported, too`() async throws {
        let app = try await Self.app(skew: 300, datesFromServer: false, datesFromAPI: false)
        var refused = HTTP.Response(401)
        refused.headers["WWW-Authenticate"] = #"DPoP error="invalid_token""#
        app.network.inject(.respond(refused), on: .post, "/orders")

        let error = await failure { try await app.callAPI() }

        #expect(error?.code == .proofRejected)
        #expect(app.tokenGrants == 2 && app.isLoggedIn)
        await app.server.stop()
    }

    @Test func `A streamed request whose proof is rejected fails like any other`() async throws {
        let app = try await Self.app(skew: 300, datesFromServer: false, datesFromAPI: false)

        let error = await failure {
            try await app.client.stream(HTTP.Request(.post, "/orders"), to: TokenCheckingAPI.url)
        }

        #expect(error?.code == .proofRejected && error?.message.contains("clock") == true)
        #expect(app.tokenGrants == 1 && app.isLoggedIn)
        await app.server.stop()
    }

    @Test func `A clock that is set right is used again`() async throws {
        let app = try await Self.app(skew: 0, datesFromServer: true, datesFromAPI: false)
        #expect(try await app.callAPI() == 200)

        app.server.time.advance(by: .seconds(300))

        #expect(try await app.callAPI() == 200)
        await app.server.stop()
    }
}
