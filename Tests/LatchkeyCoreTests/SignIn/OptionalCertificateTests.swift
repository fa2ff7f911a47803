import LatchkeyCore
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Logins without a certificate` {
    private static let login = "POST /a/self-service/login"
    private static let whoami = "GET /a/sessions/whoami"

    /// Returns the response to a login that doesn't require a certificate.
    private static func fullSession() -> HTTP.Response {
        var response = HTTP.Response.json(
            200,
            #"{"session_token":"\#(FakeIdentityServer.token)","session":\#(FakeIdentityServer.session("person"))}"#
        )
        response.headers["Latchkey-Device-Certificate"] = "optional"
        return response
    }

    @Test(arguments: [HTTP.Response(404), .refusal(404), HTTP.Response(405)])
    func `Users can log in to a server that doesn't issue certificates`(
        _ answer: HTTP.Response
    ) async throws {
        let device = try TestEngine()
        device.server.respond(to: TestEngine.certificates, with: answer)

        let session = try await device.logIn()

        #expect(device.server.log.suffix(2) == [TestEngine.certificates, Self.whoami])
        #expect(device.engine.keeper.state == .signedIn(session))
        #expect(device.engine.keeper.held?.stored.certificate == nil)
        #expect(device.keys.living == [1])
        let restarted = try device.restarted()
        await restarted.engine.keeper.ready()
        #expect(restarted.engine.keeper.state == .signedIn(session))
    }

    @Test(arguments: [
        (HTTP.Response.refusal(403, "device_certificate_required"), LatchkeyError.Code.certificateRequired),
        (.refusal(401, "session_inactive"), .sessionEnded), (.refusal(403), .refused),
        (HTTP.Response(404), .invalidResponse), (HTTP.Response(503), .serverFailed),
        (HTTP.Response(200), .invalidResponse),
    ])
    func `Logging in fails if enrolment returns 404 and the session can't be confirmed`(
        _ answer: HTTP.Response,
        _ code: LatchkeyError.Code
    ) async throws {
        let device = try TestEngine()
        device.server.respond(to: TestEngine.certificates, with: HTTP.Response(404))
        device.server.respond(to: Self.whoami, with: answer)

        let result = await device.advancing(Task { await outcome { try await device.logIn() } })

        #expect(result.code == code)
        #expect(device.isClean)
    }

    @Test(arguments: [
        HTTP.Response.refusal(404, "unheard_of"), .refusal(403), .refusal(401), HTTP.Response(400),
        HTTP.Response(500), HTTP.Response(501), HTTP.Response(503), HTTP.Response(200), HTTP.Response(302),
    ])
    func `A login fails after any other response to the request`(_ answer: HTTP.Response) async throws {
        let device = try TestEngine()
        device.server.respond(to: TestEngine.certificates, with: answer)

        let result = await device.advancing(Task { await outcome { try await device.logIn() } })

        #expect(result.error != nil)
        #expect(!device.server.log.contains(Self.whoami))
        #expect(device.isClean)
    }

    @Test(arguments: [TransportError.Code.unreachable, .timedOut, .untrusted, .invalidResponse])
    func `Network errors don't make certificates optional`(_ code: TransportError.Code) async throws {
        for route in [TestEngine.certificates, Self.whoami] {
            let device = try TestEngine()
            device.server.respond(to: TestEngine.certificates, with: HTTP.Response(404))
            device.server.plan(route, .fail(code), .fail(code), .fail(code), .fail(code))

            let result = await device.advancing(Task { await outcome { try await device.logIn() } })

            #expect(result.error != nil)
            #expect(device.isClean)
        }
    }

    @Test func `The request that confirms the session is repeated after network errors`() async throws {
        let device = try TestEngine()
        device.server.respond(to: TestEngine.certificates, with: HTTP.Response(404))
        device.server.plan(Self.whoami, .fail(.unreachable), .respond(HTTP.Response(503)))

        let result = await device.advancing(Task { await outcome { try await device.logIn() } })

        #expect(result.error == nil)
        #expect(device.server.log.count { $0 == Self.whoami } == 3)
    }

    @Test func `A certificate isn't requested if the server says it's optional`() async throws {
        let device = try TestEngine()
        device.server.respond(to: Self.login, with: Self.fullSession())

        let session = try await device.logIn()

        #expect(!device.server.log.contains(TestEngine.certificates))
        #expect(device.engine.keeper.state == .signedIn(session))
        #expect(session.identity.traits["shoe_size"] == .integer(44))
    }

    @Test func `An app that uses access tokens requests a certificate even if it's optional`() async throws {
        let device = try TestEngine(credential: .accessToken)
        device.server.respond(to: Self.login, with: Self.fullSession())

        _ = try await device.logIn()

        #expect(device.server.log.contains(TestEngine.certificates))
        #expect(device.engine.keeper.held?.stored.certificate != nil)
    }

    @Test func `A session without a certificate isn't renewed`() async throws {
        let device = try TestEngine()
        device.server.respond(to: Self.login, with: Self.fullSession())
        _ = try await device.logIn()
        device.server.forgetRequests()
        device.time.advance(by: .seconds(400 * 86_400))

        _ = try await device.engine.check()
        _ = try await device.engine.requests.send(HTTP.Request(.get, "/me"), to: "https://api.example.com")
        await device.maintenanceEnds()

        #expect(device.server.log == [Self.whoami, "GET /me"])
        #expect(await device.engine.diagnose().certificate == nil)
    }
}
