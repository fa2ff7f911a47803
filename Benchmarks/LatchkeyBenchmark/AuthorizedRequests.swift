import Foundation
import Latchkey
import LatchkeyCore
import LatchkeyCurl
import LatchkeyModel
import LatchkeyWire

/// The overhead of an authorized request compared with the same request sent by the bare transport.
///
/// Both kinds alternate on one connection of one transport, so that other load on the machine affects both
/// equally.
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

    /// Sends both kinds of request alternately, off the main thread, so that neither has to switch threads
    /// first.
    ///
    /// - Parameter count: The number of requests of each kind.
    /// - Returns: The medians.
    /// - Throws: An error if a request fails.
    @concurrent func run(_ count: Int) async throws -> (bare: Duration, authorized: Duration) {
        var (bare, authorized): ([Duration], [Duration]) = ([], [])
        let request = HTTP.Request(.get, "/constant")
        let clock = ContinuousClock()
        // The same length as the authorized request, for a fair comparison.
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

    /// Creates a store with a session whose tokens are valid during the benchmark.
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
