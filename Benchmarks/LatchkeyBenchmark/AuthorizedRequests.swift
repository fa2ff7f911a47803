import Foundation
import Latchkey
import LatchkeyCore
import LatchkeyCurl
import LatchkeyModel
import LatchkeyWire

/// What a request as the person who is logged in costs over the same request by the bare transport.
///
/// Both go over one connection of one transport, in turns, so that whatever disturbs the machine disturbs both.
struct AuthorizedRequests {
    private let transport: CurlTransport
    private let client: LatchkeyClient
    private let origin: String

    init(port: Int) throws {
        origin = "http://127.0.0.1:\(port)"
        transport = try CurlTransport()
        client = try LatchkeyClient(
            server: origin,
            app: "benchmark",
            store: Self.loggedIn(),
            credential: .accessToken,
            transport: transport
        )
    }

    /// Sends requests in turns, off the main thread, where neither has to go away from it first.
    ///
    /// - Parameter count: How many of each.
    /// - Returns: The medians.
    /// - Throws: When a request fails.
    @concurrent func run(_ count: Int) async throws -> (bare: Duration, authorized: Duration) {
        var (bare, authorized): ([Duration], [Duration]) = ([], [])
        let request = HTTPRequest(.get, "/constant")
        let clock = ContinuousClock()
        // As long as the one that carries the token, for fairness.
        var plain = request
        plain.headers["Authorization"] = "Bearer " + Self.token
        for _ in 0..<(count / 10) { _ = try await client.send(request, to: origin) }
        for _ in 0..<count {
            bare.append(try await clock.measure { _ = try await transport.send(plain, to: origin) })
            authorized.append(try await clock.measure { _ = try await client.send(request, to: origin) })
        }
        return (bare.sorted()[count / 2], authorized.sorted()[count / 2])
    }

    private static let token = String(repeating: "x", count: 600)

    /// A store that holds a session whose tokens are good for as long as this takes.
    private static func loggedIn() throws -> MemoryStore {
        let (now, later) = (SystemTime().now, SystemTime().now + .seconds(86_400))
        let stored = StoredSession(
            session: UserSession(id: "session", identity: Identity(id: "identity", schema: "customer")),
            token: "session",
            key: StoredKey(Array(repeating: 1, count: 138)),
            certificate: DeviceCertificate(
                pem: String(repeating: "x", count: 1000),
                chain: [String(repeating: "x", count: 1000)],
                serialNumber: "01",
                certifiedAt: now,
                notAfter: later
            ),
            pair: TokenPair(access: Secret(token), refresh: "refresh", renewAt: later, expiresAt: later)
        )
        let store = MemoryStore()
        _ = try store.write(stored.encoded(), basedOn: 0)
        return store
    }
}
