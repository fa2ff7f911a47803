import LatchkeyAccounts
import LatchkeyModel

/// A cache of the DPoP proofs that this process has accepted.
///
/// The cache is used to reject copies of fresh proofs. If several nodes share a database,
/// ``SeenProofRepository`` stores the proofs that any of the nodes has accepted.
///
/// The cache has two generations of limited size. If there are more proofs than fit in the cache, the oldest
/// ones are evicted first.
///
/// The cache is only kept in memory, so it is empty after the process has been restarted. All methods can be
/// called from any thread.
final class DPoPReplayCache: Sendable {
    /// The longest time that a proof can be accepted for.
    ///
    /// This is the lifespan of a nonce plus the clock skew that is accepted for proofs without a nonce.
    static let window = DPoPReplayWindow.length

    /// The first 16 bytes of a fingerprint.
    ///
    /// The fingerprint is part of a signature, so 128 bits are enough to rule out accidental collisions.
    private struct Key: Hashable {
        /// Bytes 0 to 7, in big-endian order.
        let first: UInt64
        /// Bytes 8 to 15, in big-endian order.
        let second: UInt64

        /// Creates a key from a fingerprint, which must be at least 16 bytes long.
        init(_ bytes: [UInt8]) {
            first = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
            second = bytes.dropFirst(8).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    /// The newer and the older generation of proofs.
    ///
    /// When the newer generation is full or too old, the older generation is discarded.
    private struct Generations {
        /// The generation that new proofs are added to.
        var latest: Set<Key> = []
        /// The previous generation, which doesn't receive new proofs.
        var before: Set<Key> = []
        /// When the newer generation was started.
        var since = Timestamp(microseconds: .min)
    }

    private let limit: Int
    private let generations = Locked(Generations())

    /// Creates an empty cache.
    ///
    /// - Parameter limit: The maximum number of proofs in each of the two generations.
    init(limit: Int = DPoPReplayWindow.capacity) {
        self.limit = limit
    }

    /// Adds a proof to the cache.
    ///
    /// - Returns: `false` if the proof is already in the cache.
    /// - Parameters:
    ///   - proof: The proof, of which only the fingerprint is stored.
    ///   - now: The current time. A new generation is started if the current one is too old.
    func insert(_ proof: PresentedProof, at now: Timestamp) -> Bool {
        let key = Key(proof.fingerprint)
        return generations.withLock { generations in
            if generations.latest.count >= limit || now - generations.since >= Self.window {
                generations.before = generations.latest
                generations.latest = []
                generations.since = now
            }
            guard !generations.before.contains(key) else { return false }
            return generations.latest.insert(key).inserted
        }
    }
}
