import LatchkeyAccounts
import LatchkeyModel

/// The replay cache of DPoP proofs of this process, which rejects copies of a proof while it is fresh.
///
/// The proofs that other processes have accepted are stored in the ``SeenProofRepository``.
///
/// The cache consists of two generations of limited size: under a load that exceeds it, the oldest entries
/// are evicted first.
final class DPoPReplayCache: Sendable {
    /// The maximum time for which a proof can be fresh.
    static let window = DPoPNonces.lifespan + .seconds(60)

    /// The first 16 bytes of a fingerprint.
    private struct Key: Hashable {
        let first: UInt64
        let second: UInt64

        init(_ bytes: [UInt8]) {
            first = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
            second = bytes.dropFirst(8).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    /// The two generations, of which the older one is dropped when the newer one is full or a window old.
    private struct Generations {
        var latest: Set<Key> = []
        var before: Set<Key> = []
        var since = Timestamp(microseconds: .min)
    }

    private let limit: Int
    private let generations = Locked(Generations())

    /// Creates an empty cache.
    ///
    /// - Parameter limit: The maximum number of proofs in each of the two generations.
    init(limit: Int = 250_000) {
        self.limit = limit
    }

    /// Stores a proof.
    ///
    /// - Returns: `false` if the cache contains the proof.
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

    /// Removes a proof.
    func remove(_ proof: PresentedProof) {
        let key = Key(proof.fingerprint)
        generations.withLock { generations in
            generations.latest.remove(key)
            generations.before.remove(key)
        }
    }
}
