import LatchkeyAccounts
import LatchkeyCore
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Certificate enrolment` {
    private let server: TestServer
    private let client: CertificateClient

    init() async throws {
        server = try await TestServer()
        client = try CertificateClient(server)
    }

    @Test func `A certificate is valid for ninety days and turns the provisional session into a full one`()
        async throws
    {
        let opened = try await server.openSession()
        let response = try await client.enrol(opened)
        #expect(response.status == 200)
        #expect(response.headers["Content-Type"] == "application/json; charset=utf-8")

        let issued = try response.decoded(CertificateBody.Issued.self)
        let certificate = try Certificate(pem: issued.certificate)
        #expect(certificate.publicKey == client.key.publicKey)
        #expect(certificate.commonName == opened.session.identityID.description)
        #expect(certificate.notAfter == server.time.now + .seconds(90 * 86_400))
        #expect(issued.notAfter == certificate.notAfter.description)
        #expect(issued.serialNumber == SerialNumber(bytes: certificate.serial).description)
        #expect(issued.chain == [server.authority.certificate.pem])

        let session = try await server.session(opened)
        #expect(!session.needsCertificate)
        #expect(session.expiresAt == opened.session.issuedAt + .seconds(30 * 86_400))
        #expect(issued.sessionExpiresAt == session.expiresAt.description)
    }

    @Test func `The session's expiry is calculated from the time it was created`() async throws {
        let opened = try await server.openSession()
        server.time.advance(by: .seconds(299))
        #expect(try await client.enrol(opened).status == 200)
        let session = try await server.session(opened)
        #expect(session.expiresAt == opened.session.issuedAt + .seconds(30 * 86_400))
    }

    @Test func `The session token is also accepted as a bearer token`() async throws {
        let opened = try await server.openSession()
        let response = try await client.transport.send(
            HTTP.Request(
                .put,
                Route.certificates,
                headers: ["Authorization": "bearer \(opened.token.secret.exposed)"],
                body: JSONCoding.encode(CertificateBody.Request(csr: client.request()))
            ),
            to: TestServer.url
        )
        #expect(response.status == 200)
    }

    @Test func `Renewing a certificate for the same key doesn't extend the session`() async throws {
        let opened = try await server.openSession()
        let first = try await client.enrol(opened).decoded(CertificateBody.Issued.self)
        let end = try await server.session(opened).expiresAt
        server.time.advance(by: .seconds(20 * 86_400))
        let second = try await client.enrol(opened).decoded(CertificateBody.Issued.self)
        #expect(second.serialNumber != first.serialNumber)
        #expect(
            try Certificate(pem: second.certificate).notAfter == server.time.now + .seconds(90 * 86_400)
        )
        #expect(try await server.session(opened).expiresAt == end)
        #expect(first.sessionExpiresAt == end.description && second.sessionExpiresAt == end.description)
    }

    @Test func `A certificate doesn't extend a session that doesn't require one`() async throws {
        let opened = try await server.openSession(needsCertificate: false)
        let issued = try await client.enrol(opened).decoded(CertificateBody.Issued.self)
        #expect(try await server.session(opened).expiresAt == opened.session.expiresAt)
        #expect(issued.sessionExpiresAt == opened.session.expiresAt.description)
    }

    @Test func `Requesting the certificate again succeeds if the first response was lost`() async throws {
        let opened = try await server.openSession()
        client.transport.inject(.dropResponse)
        await #expect(throws: TransportError.self) { try await client.enrol(opened) }
        #expect(try await !server.session(opened).needsCertificate)
        #expect(try await client.enrol(opened).status == 200)
    }

    @Test func `A lost request leaves the session unchanged`() async throws {
        let opened = try await server.openSession()
        client.transport.inject(.dropRequest)
        await #expect(throws: TransportError.self) { try await client.enrol(opened) }
        #expect(try await server.session(opened).needsCertificate)
        #expect(try await client.enrol(opened).status == 200)
    }

    @Test(arguments: [true, false])
    func `A different key is rejected once the session has a certificate`(needsCertificate: Bool) async throws
    {
        let opened = try await server.openSession(needsCertificate: needsCertificate)
        #expect(try await client.enrol(opened).status == 200)
        let refused = try await CertificateClient(server).enrol(opened)
        #expect(refused.status == 409)
        #expect(refused.errorID == .certificateKeyDiffers)
        #expect(try await client.enrol(opened).status == 200)
    }

    @Test func `A different key is rejected even if the session's certificate has expired`() async throws {
        var configuration = TestServer.configuration()
        configuration.certificates.lifespan = .seconds(86_400)
        let server = try await TestServer(configuration: configuration)
        let client = try CertificateClient(server)
        let opened = try await server.openSession()
        #expect(try await client.enrol(opened).status == 200)
        server.time.advance(by: .seconds(2 * 86_400))
        let refused = try await CertificateClient(server).enrol(opened)
        #expect(refused.errorID == .certificateKeyDiffers)
        #expect(try await client.enrol(opened).status == 200)
    }

    @Test(arguments: [true, false])
    func `Only one of many concurrent requests with different keys succeeds`(needsCertificate: Bool)
        async throws
    {
        let opened = try await server.openSession(needsCertificate: needsCertificate)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 {
                group.addTask { [server] in try await CertificateClient(server).enrol(opened).status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.filter { $0 == 200 }.count == 1)
        #expect(statuses.filter { $0 == 409 }.count == 19)
        let records = try await #require(server.assembly).accounts.revocation.certificates(
            of: opened.session.identityID
        )
        #expect(records.count == 1)
    }

    @Test func `No certificate is stored if the session ends during the request`() async throws {
        let phone = "+439999999999"
        let server = try await SelfServiceServer(schema: "customer")
        _ = try await server.customer(phone)
        let token = try #require(try await server.login(phone, "000000").sessionToken)
        let authority = try CertificateAuthority.make(
            commonName: "Test authority",
            notBefore: server.time.now,
            notAfter: server.time.now + .seconds(365 * 86_400)
        )
        // The first transaction counts the request, and the second one stores the certificate.
        let node = RacingServer(
            server,
            issuer: try CertificateIssuer(authority: authority, random: SystemRandom()),
            at: .transaction(2)
        ) {
            let status = try await server.logOut(token).status
            #expect(status == 204)
        }

        let body = JSONValue.object(["csr": .string(try client.request())])
        let answer = try await node.plain(.put, Route.certificates, body, token: token)

        #expect(answer.status == 401)
        #expect(answer.errorID == .sessionInactive)
        let ended = try await server.database.rows("SELECT id FROM sessions WHERE revoked_at IS NOT NULL")
        #expect(ended.count == 1)
        #expect(try await server.database.rows("SELECT serial FROM certificates").isEmpty)
        let id = try #require(try await server.holder(of: phone))
        #expect(try await !server.actions(of: id).contains(.deviceEnrolled))
    }

    @Test(arguments: [nil, Secret(""), "lk_st_unknown"])
    func `Requests without a valid session are rejected`(token: Secret?) async throws {
        let response = try await client.put([], token: token)
        #expect(response.status == 401)
        #expect(response.errorID == .sessionInactive)
    }

    @Test func `Requests are rejected once the provisional session has expired`() async throws {
        let opened = try await server.openSession()
        server.time.advance(by: .seconds(900))
        let response = try await client.enrol(opened)
        #expect(response.status == 401)
        #expect(response.errorID == .sessionInactive)
    }

    @Test func `A signing request that was signed with another key is rejected`() async throws {
        let opened = try await server.openSession()
        let forged = try #require(try client.requestSignedByAnother())
        let response = try await client.put(
            JSONCoding.encode(CertificateBody.Request(csr: forged)),
            token: opened.token.secret
        )
        #expect(response.status == 400)
        #expect(response.errorID == .csrInvalid)
        #expect(try await server.session(opened).needsCertificate)
    }

    @Test(arguments: [
        #"{"csr":""}"#, #"{"csr":"nonsense"}"#,
        #"{"csr":"-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n"}"#,
    ])
    func `A malformed signing request is rejected with the error csr_invalid`(body: String) async throws {
        let opened = try await server.openSession()
        let response = try await client.put(Array(body.utf8), token: opened.token.secret)
        #expect(response.status == 400)
        #expect(response.errorID == .csrInvalid)
    }

    @Test(arguments: ["", "[]", "{}", #"{"csr":1}"#, #"{"csr":null}"#, #"{"csr":["x"]}"#])
    func `A body that doesn't contain a signing request is rejected`(body: String) async throws {
        let opened = try await server.openSession()
        let response = try await client.put(Array(body.utf8), token: opened.token.secret)
        #expect(response.status == 400)
        #expect(response.errorID == nil)
    }

    @Test func `A body that is too large is rejected`() async throws {
        let opened = try await server.openSession()
        let body = Array(#"{"csr":"\#(String(repeating: "A", count: 40_000))"}"#.utf8)
        #expect(try await client.put(body, token: opened.token.secret).status == 413)
    }
}
