import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import TestContract
import TestDatabases
import Testing

@testable import LatchkeyAccounts
@testable import LatchkeyCourier
@testable import LatchkeyServerKit

/// A server with the session and token routes, the current test database and a virtual clock.
struct OAuthServer: Sendable {
    static let url = "https://id.example.com"

    let time: VirtualTime
    let database: CountingDatabase
    let configuration: ServerConfiguration
    let resources: ServerResources
    let assembly: ServerAssembly
    let router: any HTTPHandler

    init(
        time: VirtualTime = VirtualTime(),
        database: CountingDatabase? = nil,
        secrets: ServerSecrets = ServerSecrets(signing: [UInt8](repeating: 7, count: 32)),
        dutySources: [any DutySource] = [],
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws {
        self.time = time
        if let database {
            self.database = database
        } else {
            self.database = CountingDatabase(try await TestDatabase.current.open(time: time))
        }
        var configuration = TestServer.configuration()
        change(&configuration)
        self.configuration = configuration
        var resources = ServerResources(
            database: self.database,
            hasher: QuickHasher(),
            secrets: secrets,
            schemas: try SchemaCatalog(standard: configuration.schemas.standard),
            time: time,
            random: SystemRandom()
        )
        resources.dutySources = dutySources
        self.resources = resources
        assembly = ServerAssembly(
            configuration,
            url: Self.url,
            resources: resources,
            courier: try Courier(resources, delivery: NoDelivery(reason: "not in this test")),
            issuer: nil,
            log: .silent
        )
        router = DocumentedHandler(assembly.handler, assembly.document.document)
    }

    /// Returns the same server after a restart.
    ///
    /// Everything that the previous server kept in memory is lost.
    func restarted(
        secrets: ServerSecrets = ServerSecrets(signing: [UInt8](repeating: 7, count: 32)),
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws -> OAuthServer {
        try await OAuthServer(time: time, database: database, secrets: secrets, change)
    }

    func send(_ request: HTTP.Request) async -> Answer {
        Answer(await router.respond(to: request, from: .inProcess))
    }

    func get(_ path: String) async -> Answer {
        await send(HTTP.Request(.get, path))
    }

    /// Sends a request to the admin API.
    func administer(_ method: HTTP.Method, _ path: String, _ body: String = "") async -> Answer {
        let router = DocumentedHandler(
            assembly.localAdministration(),
            OpenAPIDocument(assembly.operatorRoutes, below: "")
        )
        let request = HTTP.Request(method, path, body: Array(body.utf8))
        return Answer(await router.respond(to: request, from: .inProcess))
    }

    func whoami(_ token: Secret) async -> Answer {
        await send(
            HTTP.Request(.get, "/a" + Route.whoami, headers: ["Authorization": "Bearer " + token.exposed])
        )
    }

    /// Polls the session's events without waiting for a change.
    func events(_ token: Secret) async -> Answer {
        let headers: HTTP.Headers = ["Authorization": "Bearer " + token.exposed]
        return await send(HTTP.Request(.get, "/a" + Route.sessionEvents, query: "wait=0", headers: headers))
    }

    func logOut(_ token: Secret) async -> Answer {
        let body = Array(#"{"session_token":"\#(token.exposed)"}"#.utf8)
        return await send(HTTP.Request(.delete, "/a" + Route.logout, body: body))
    }

    func revoke(_ token: Secret) async -> Answer {
        await send(RevocationRequest(token: token).httpRequest)
    }

    /// Creates a session and issues a certificate for the device's key.
    ///
    /// The session belongs to the given identity, or to a new one.
    func openSession(
        certifying key: SigningKey?,
        needsCertificate: Bool = false,
        of owner: Identifier? = nil
    ) async throws -> OpenedSession {
        let now = time.now
        let session = Session(
            id: Identifier(),
            identityID: owner ?? Identifier(),
            authentications: [Authentication(.password, at: now)],
            issuedAt: now,
            authenticatedAt: now,
            expiresAt: now + .seconds(30 * 86_400),
            needsCertificate: needsCertificate,
            deviceID: Identifier(),
            ipAddress: "127.0.0.1",
            userAgent: "test"
        )
        let token = SessionToken(prefix: configuration.sessions.tokenPrefix, random: SystemRandom())
        try await database.transaction { transaction in
            if owner == nil {
                try transaction.execute(
                    """
                    INSERT INTO identities \
                    (id, schema_id, state, traits, body, version, state_changed_at, created_at, updated_at) \
                    VALUES ($1, 'customer', 'active', $2, $3, 0, $4, $4, $4)
                    """,
                    .identifier(session.identityID),
                    .blob(Array("{}".utf8)),
                    .blob(Identity.members(at: now)),
                    .time(now)
                )
            }
            try SessionRepository.insert(NewSession(session, token: token), in: transaction)
            guard let key else { return }
            let record = CertificateRecord(
                serial: SerialNumber(bytes: [1] + session.id.bytes),
                session: session.id,
                keyThumbprint: key.publicKey.thumbprint,
                issuedAt: now,
                notAfter: now + .seconds(86_400)
            )
            #expect(try CertificateRepository.insert(record, identity: session.identityID, in: transaction))
        }
        return OpenedSession(token: token, session: session)
    }

    /// Returns the number of the last refresh token that was used for a session, or `nil` if the session's
    /// token was never exchanged.
    func used(_ session: Session) async throws -> Int64? {
        try await database.rows(
            "SELECT used FROM token_families WHERE session_id = $1",
            .identifier(session.id)
        ).first?.integer(0)
    }

    func isAlive(_ session: Session) async throws -> Bool {
        try await database.rows(
            "SELECT 1 FROM sessions WHERE id = $1 AND revoked_at IS NULL",
            .identifier(session.id)
        ).count == 1
    }
}
