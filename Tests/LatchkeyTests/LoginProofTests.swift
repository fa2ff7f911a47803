import Latchkey
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyAccounts

@Suite(.onEachDatabase) struct `DPoP proofs for logins` {
    @Test func `A login sends a proof of the enrolled key in the same request`() async throws {
        let server = try await TestServer()
        try await server.addCustomer(phone: TestAccount.phone, passcode: TestAccount.passcode)
        let app = try TestApp(server)

        try await app.client.signIn(phone: TestAccount.phone, password: TestAccount.passcode)

        #expect(
            app.requestLines == [
                "GET /a/self-service/login/api",
                "POST /a/self-service/login",
                "PUT \(Route.certificates)",
            ]
        )
        try app.expectProof(onPostTo: "/a/self-service/login")
    }

    @Test func `A registration sends a proof of the enrolled key in the same request`() async throws {
        let app = try TestApp(await TestServer())

        try await app.verifiedPhone().finish(password: TestAccount.passcode, name: TestAccount.name)

        #expect(
            app.requestLines == [
                "GET /a/self-service/registration/api",
                "POST /identity/verification/flow/phone",
                "PATCH /identity/verification/flow/phone",
                "POST /a/self-service/registration",
                "PUT \(Route.certificates)",
            ]
        )
        try app.expectProof(onPostTo: "/a/self-service/registration")
    }

    @Test func `Two logins use different keys and proofs`() async throws {
        let app = try await TestApp.loggedIn()

        try await app.client.signIn(phone: TestAccount.phone, password: TestAccount.passcode)
        let first = try app.proof(onPostTo: "/a/self-service/login")
        app.network.forgetExchanges()
        try await app.client.signIn(phone: TestAccount.phone, password: TestAccount.passcode)
        let second = try app.proof(onPostTo: "/a/self-service/login")

        #expect(first.key.jwkThumbprint != second.key.jwkThumbprint)
        #expect(first.fingerprint != second.fingerprint)
    }
}

extension TestApp {
    /// Expects exactly one POST request to a path, and returns its proof after checking the format and the
    /// signature.
    fileprivate func proof(onPostTo path: String) throws -> PresentedProof {
        let requests = network.exchanges.map(\.request).filter { $0.method == .post && $0.path == path }
        #expect(requests.count == 1)
        return try PresentedProof(#require(requests.first))
    }

    /// Expects a POST request to contain a proof for that request, signed with the key in the certificate
    /// request that follows.
    fileprivate func expectProof(onPostTo path: String) throws {
        let proof = try proof(onPostTo: path)
        #expect(proof.method == "POST")
        #expect(proof.url == TestServer.url + path)
        #expect(proof.issuedAt == Timestamp(seconds: server.time.now.seconds))
        let enrolment = try #require(network.exchanges.last).request
        let body = try JSONCoding.decode(JSONValue.self, from: enrolment.body)
        let request = try CertificateSigningRequest(pem: #require(body["csr"]?.text)).verified()
        #expect(proof.key.jwkThumbprint == request.publicKey.jwkThumbprint)
    }
}
