import LatchkeyCrypto
import LatchkeyModel

/// The networks from which the owners of accounts have logged in lately.
///
/// Whoever guesses at an account makes its waits long, and always takes the next turn when one comes. From a network of
/// the owner's own, failures are counted apart, so that nobody can shut the owner out.
struct HomeNetworks: Sendable {
    /// How long a network is remembered after a login.
    private static let memory: Duration = .seconds(90 * 86_400)

    /// A login later than this is written down anew.
    private static let refresh: Duration = .seconds(86_400)

    private let key: HMACKey

    init(_ context: ServerContext) {
        key = context.secrets.key(for: .limits)
    }

    /// Whether the owner of an account has logged in from a network.
    ///
    /// It is one read, whether or not there is such an account.
    func contains(
        _ peer: PeerAddress,
        of identifier: String,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        guard let bytes = try LimitRepository.find(bucket(peer, identifier), in: transaction) else {
            return false
        }
        return LimitStamps(bytes).times.contains { now - $0 < Self.memory }
    }

    /// Writes down that the owner of an account has logged in from a network.
    func remember(
        _ peer: PeerAddress,
        of identifier: String,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        let bucket = bucket(peer, identifier)
        let old = try LimitRepository.find(bucket, in: transaction)
        if let last = old.flatMap({ LimitStamps($0).times.last }), now - last < Self.refresh { return }
        var stamps = LimitStamps()
        stamps.append(now)
        // If another login writes the same at the same moment, one of the two is enough.
        _ = try LimitRepository.replace(
            old,
            by: stamps.bytes,
            in: bucket,
            until: now + Self.memory,
            in: transaction
        )
    }

    private func bucket(_ peer: PeerAddress, _ identifier: String) -> [UInt8] {
        key.authenticate(Array("home of account".utf8) + [0] + Array(identifier.utf8) + [0] + peer.network)
    }
}
