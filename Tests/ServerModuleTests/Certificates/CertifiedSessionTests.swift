import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Sessions that require a certificate` {
    private let server: TestServer
    private let client: SignUpClient
    private let device: CertificateClient

    init() async throws {
        server = try await TestServer()
        client = SignUpClient(server)
        device = try CertificateClient(server)
    }

    @Test func `The session is accepted by whoami once the device has a certificate`() async throws {
        let token = try await signUp()
        let before = try await whoami(token)
        #expect(before.status == 403)
        #expect(before.errorID == .deviceCertificateRequired)
        #expect(try await enrol(token).status == 200)
        #expect(try await whoami(token).status == 200)
    }

    @Test func `A session without a certificate expires after fifteen minutes`() async throws {
        let token = try await signUp()
        server.time.advance(by: .seconds(899))
        #expect(try await whoami(token).status == 403)
        server.time.advance(by: .seconds(1))
        #expect(try await whoami(token).status == 401)
        #expect(try await enrol(token).errorID == .sessionInactive)
    }

    @Test func `A session with a certificate expires after thirty days`() async throws {
        let token = try await signUp()
        #expect(try await enrol(token).status == 200)
        server.time.advance(by: .seconds(30 * 86_400 - 1))
        #expect(try await whoami(token).status == 200)
        server.time.advance(by: .seconds(1))
        #expect(try await whoami(token).status == 401)
    }

    @Test func `Users can log out before the device has a certificate`() async throws {
        let token = try await signUp()
        let body = Array(#"{"session_token":"\#(token)"}"#.utf8)
        #expect(try await client.send(.delete, "/a" + Route.logout, body: body).status == 204)
        #expect(try await whoami(token).status == 401)
        #expect(try await enrol(token).errorID == .sessionInactive)
    }

    @Test func `A session without a certificate doesn't keep its user from logging in`() async throws {
        let token = try await signUp()
        #expect(try await client.send(.get, "/a" + Route.loginInit, token: token).status == 200)
        #expect(try await enrol(token).status == 200)
        let refused = try await client.send(.get, "/a" + Route.loginInit, token: token)
        #expect(refused.errorID == .sessionAlreadyAvailable)
    }

    @Test func `Revoking the certificate ends the session`() async throws {
        let token = try await signUp()
        let issued = try await enrol(token).decoded(CertificateBody.Issued.self)
        let revocation = try #require(server.assembly).accounts.revocation
        #expect(try await revocation.revoke(#require(SerialNumber(issued.serialNumber))))
        #expect(try await whoami(token).status == 401)
        #expect(try await enrol(token).status == 401)
    }

    @Test func `A different key can be used after the next login`() async throws {
        let first = try await signUp()
        #expect(try await enrol(first).status == 200)
        let flow = try await client.send(.get, "/a" + Route.loginInit).decoded(FlowBody.self).id
        let body = Array(
            #"{"method":"password","identifier":"+439999999999","password":"000000"}"#.utf8
        )
        let login = try await client.send(.post, "/a" + Route.login, query: "flow=\(flow)", body: body)
        let second = try #require(try login.decoded(AuthenticationBody.self).sessionToken)
        #expect(try await whoami(second).status == 403)
        let other = try CertificateClient(server)
        let request = try JSONCoding.encode(CertificateBody.Request(csr: other.request()))
        #expect(try await other.put(request, token: Secret(second)).status == 200)
        #expect(try await whoami(second).status == 200)
        #expect(try await whoami(first).status == 200)
    }

    @Test func `Concurrent certificate requests with the same key all succeed`() async throws {
        let token = try await signUp()
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { try await enrol(token).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.allSatisfy { $0 == 200 })
        #expect(try await whoami(token).status == 200)
    }

    /// Registers a customer and returns the token of the provisional session.
    private func signUp() async throws -> String {
        let flow = try await client.beginVerified(on: server)
        return try #require(
            try await client.finish(flow).decoded(AuthenticationBody.self).sessionToken
        )
    }

    private func whoami(_ token: String) async throws -> HTTP.Response {
        try await client.send(.get, "/a" + Route.whoami, token: token)
    }

    private func enrol(_ token: String) async throws -> HTTP.Response {
        let body = try JSONCoding.encode(CertificateBody.Request(csr: device.request()))
        return try await device.put(body, token: Secret(token))
    }
}
