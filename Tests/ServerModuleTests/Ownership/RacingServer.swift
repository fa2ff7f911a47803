import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import Testing

/// The point at which a request is interrupted.
enum Interruption: Sendable {
    /// The request is interrupted while the new password is being hashed.
    case hashing
    /// The request is interrupted after it was authenticated, right before the transaction with the given
    /// number.
    case transaction(Int)
}

/// A second node of a server, which calls a closure in the middle of a request.
struct RacingServer: Sendable {
    private let router: any HTTPHandler

    /// Creates a node that calls a closure once, when the given point is reached.
    ///
    /// The node has the route for certificates if there is an issuer.
    init(
        _ server: SelfServiceServer,
        issuer: CertificateIssuer? = nil,
        at interruption: Interruption,
        _ event: @escaping @Sendable () async throws -> Void
    ) {
        let database: any Database
        let hasher: any PasswordHasher
        switch interruption {
        case .hashing:
            database = server.database
            hasher = InterruptedHasher(server.hasher, event)
        case .transaction(let number):
            database = InterruptedDatabase(server.database, before: number, event)
            hasher = server.hasher
        }
        var resources = server.resources
        resources.database = database
        resources.hasher = hasher
        let assembly = ServerAssembly(
            server.configuration,
            url: SelfServiceServer.url,
            resources: resources,
            courier: server.courier,
            issuer: issuer,
            log: .silent
        )
        router = assembly.handler
    }

    func send(
        _ method: HTTP.Method,
        _ path: String,
        query: String? = nil,
        _ body: JSONValue? = nil,
        token: String? = nil
    ) async throws -> Answer {
        try await plain(method, "/a" + path, query: query, body, token: token)
    }

    /// Sends a request to a path that doesn't have to be below the base path.
    func plain(
        _ method: HTTP.Method,
        _ path: String,
        query: String? = nil,
        _ body: JSONValue? = nil,
        token: String? = nil
    ) async throws -> Answer {
        var request = HTTP.Request(method, path, query: query)
        request.headers["X-Session-Token"] = token
        if let body {
            request.headers["Content-Type"] = "application/json"
            request.body = try JSONCoding.encode(body)
        }
        return Answer(await router.respond(to: request, from: PeerAddress(host: "192.0.2.1", port: 40_000)))
    }

    /// Submits a flow.
    func submit(_ kind: FlowKind, _ flow: String, _ body: JSONValue, token: String? = nil) async throws
        -> Answer
    {
        try await send(.post, "/self-service/\(kind.rawValue)", query: "flow=\(flow)", body, token: token)
    }
}

/// A hasher that calls a closure before it hashes a password.
private final class InterruptedHasher: PasswordHasher {
    private let hasher: QuickHasher
    private let event: @Sendable () async throws -> Void

    init(_ hasher: QuickHasher, _ event: @escaping @Sendable () async throws -> Void) {
        self.hasher = hasher
        self.event = event
    }

    func hash(_ password: Secret) async throws(PasswordHasherError) -> String {
        do {
            try await event()
        } catch {
            Issue.record(error)
        }
        return try await hasher.hash(password)
    }

    func verify(_ password: Secret, against hash: String?) async throws(PasswordHasherError)
        -> PasswordVerdict
    {
        try await hasher.verify(password, against: hash)
    }
}

/// A database that calls a closure right before one of its transactions.
final class InterruptedDatabase: Database {
    private let database: any Database
    private let event: @Sendable () async throws -> Void
    private let remaining: Locked<Int>

    init(_ database: any Database, before number: Int, _ event: @escaping @Sendable () async throws -> Void) {
        self.database = database
        self.event = event
        remaining = Locked(number)
    }

    func rows(_ sql: SQL, _ values: [SQLValue]) async throws(DatabaseError) -> [Row] {
        try await database.rows(sql, values)
    }

    func transaction<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing Transaction) throws -> Outcome
    ) async throws -> Outcome {
        let isNext = remaining.withLock { remaining in
            remaining -= 1
            return remaining == 0
        }
        if isNext { try await event() }
        return try await database.transaction(body)
    }

    var broadcast: Broadcast { database.broadcast }

    var writes: WriteHealth { database.writes }

    func close() async {
        await database.close()
    }
}
