import Foundation
import Latchkey
import LatchkeyCore
import LatchkeyCurl
import LatchkeyModel
import LatchkeyWire

/// Compares the speed of authorized requests with that of the same requests sent directly through the
/// transport.
///
/// Authorized and direct requests alternate on the same connection, so other load on the machine affects both
/// equally.
struct AuthorizedRequests {
    private let transport: CurlTransport
    private let client: LatchkeyClient
    /// A client whose user is logged in at another OpenID provider.
    private let grantClient: LatchkeyClient
    private let origin: String

    init(port: Int) throws {
        origin = "http://127.0.0.1:\(port)"
        transport = try CurlTransport()
        var configuration = LatchkeyConfiguration(server: origin, app: "benchmark", apiOrigins: [Self.api])
        configuration.transport = transport
        configuration.store = try Self.store(with: Self.grantSession())
        configuration.client = ClientRegistration(id: "benchmark", issuer: origin)
        grantClient = try LatchkeyClient(configuration)
        configuration.client = nil
        configuration.store = try Self.store(with: Self.session())
        configuration.credential = .accessToken
        client = try LatchkeyClient(configuration)
    }

    /// Sends requests with and without authorization alternately.
    ///
    /// This method runs off the main thread so that requests do not have to switch threads first.
    ///
    /// - Parameter count: The number of requests of each kind.
    /// - Returns: The median durations, of which the last one is that of requests with a grant.
    /// - Throws: An error if one of the requests fails.
    @concurrent func run(
        _ count: Int
    ) async throws -> (bare: Duration, authorized: Duration, granted: Duration) {
        var (bare, authorized, granted): ([Duration], [Duration], [Duration]) = ([], [], [])
        let request = HTTP.Request(.get, "/constant")
        let clock = ContinuousClock()
        // For a fair comparison, this header field makes the request as long as the authorized one.
        var plain = request
        plain.headers["Authorization"] = "Bearer " + Self.token
        for _ in 0..<(count / 10) {
            _ = try await client.send(request, to: origin)
            _ = try await grantClient.send(request, to: origin)
        }
        for _ in 0..<count {
            bare.append(try await clock.measure { _ = try await transport.send(plain, to: origin) })
            authorized.append(try await clock.measure { _ = try await client.send(request, to: origin) })
            granted.append(try await clock.measure { _ = try await grantClient.send(request, to: origin) })
        }
        return (bare.sorted()[count / 2], authorized.sorted()[count / 2], granted.sorted()[count / 2])
    }

    /// Measures how long `authorization(for:)` takes when no refresh is needed, compared with a dictionary
    /// lookup.
    ///
    /// - Parameter count: The number of lookups, and the number of calls to `authorization(for:)`.
    /// - Returns: The average durations.
    /// - Throws: An error if there is no authorization.
    @concurrent func authorizations(_ count: Int) async throws -> (lookup: Duration, authorization: Duration)
    {
        let url = Self.api + "/orders"
        let known = Dictionary(uniqueKeysWithValues: (0..<1000).map { (Self.api + "/\($0)", $0) })
            .merging([url: 1]) { $1 }
        let clock = ContinuousClock()
        var found = 0
        let lookup = clock.measure { for _ in 0..<count { found += known[url] ?? 0 } }
        let authorization = try await clock.measure {
            for _ in 0..<count { found += try await client.authorization(for: url).headers.fields.count }
        }
        guard found == 2 * count else {
            throw BlockingConnection.Failure(what: "an authorization is missing")
        }
        return (lookup / count, authorization / count)
    }

    private static let api = "https://api.example.com"

    private static let token = String(repeating: "x", count: 600)

    /// Creates a store that contains a session.
    private static func store(with session: StoredSession) throws -> MemoryStore {
        let store = MemoryStore()
        _ = try store.write(session.encoded(), basedOn: 0)
        return store
    }

    /// Returns a login at another OpenID provider with tokens that stay valid during the benchmark.
    static func grantSession() -> StoredSession {
        let later = SystemTime().now + .seconds(86_400)
        return StoredSession(
            login: LoginID(random: SystemRandom()),
            session: UserSession(id: "", identity: Identity(id: "subject", schema: "")),
            credential: .grant(
                OAuthGrant(
                    pair: TokenPair(
                        access: Secret(token),
                        refresh: "refresh",
                        renewAt: later,
                        expiresAt: later
                    ),
                    issuer: "https://id.example.com",
                    client: "benchmark",
                    scopes: ["openid"],
                    idToken: Secret(token)
                )
            ),
            key: StoredKey(Array(repeating: 1, count: 138)),
            certificate: nil,
            requiresCertificate: false
        )
    }

    /// Returns a session with tokens that stay valid during the benchmark.
    static func session() -> StoredSession {
        let (now, later) = (SystemTime().now, SystemTime().now + .seconds(86_400))
        return StoredSession(
            login: LoginID(random: SystemRandom()),
            session: UserSession(id: "session", identity: Identity(id: "identity", schema: "customer")),
            credential: .sessionToken(
                "session",
                pair: TokenPair(access: Secret(token), refresh: "refresh", renewAt: later, expiresAt: later)
            ),
            key: StoredKey(Array(repeating: 1, count: 138)),
            certificate: DeviceCertificate(
                pem: String(repeating: "x", count: 1000),
                chain: [String(repeating: "x", count: 1000)],
                serialNumber: "01",
                certifiedAt: now,
                notAfter: later
            ),
            requiresCertificate: true
        )
    }
}
