import LatchkeyAccounts
import LatchkeyModel

/// The replay cache for the DPoP proofs that this process has accepted, which rejects copies of a proof as
/// long as it is fresh.
///
/// If several nodes share a database, ``SeenProofRepository`` stores the proofs that any of them has
/// accepted.
///
/// The cache consists of two generations of limited size; if the load exceeds the limit, the oldest entries
/// are evicted first.
///
/// The cache is only in memory, so it does not survive a restart of the process. All methods can be called
/// from any thread.
final class DPoPReplayCache: Sendable {
    /// The maximum time for which a proof is fresh.
    ///
    /// It is the sum of the lifespan of a nonce and the accepted clock skew for a proof without a nonce.
    static let window = DPoPNonces.lifespan + .seconds(60)

    /// The first 16 bytes of a fingerprint.
    ///
    /// Because the fingerprint is part of a signature, 128 bits rule out accidental collisions.
    private struct Key: Hashable {
        /// Bytes 0 to 7, big-endian.
        let first: UInt64
        /// Bytes 8 to 15, big-endian.
        let second: UInt64

        /// Creates a key from a fingerprint of at least 16 bytes.
        init(_ bytes: [UInt8]) {
            first = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
            second = bytes.dropFirst(8).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    /// The two generations; when the newer one is full or as old as the window, the older one is discarded.
    private struct Generations {
        /// The generation to which new proofs are added.
        var latest: Set<Key> = []
        /// The previous generation, which is only read.
        var before: Set<Key> = []
        /// The time at which the newer generation began.
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
    /// - Returns: `false` if the cache already contains the proof.
    /// - Parameters:
    ///   - proof: The proof, of which only the fingerprint is stored.
    ///   - now: The current time, which determines whether a new generation begins.
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
    ///
    /// After that, the proof can be inserted again. A proof that is not in the cache is ignored.
    func remove(_ proof: PresentedProof) {
        let key = Key(proof.fingerprint)
        generations.withLock { generations in
            generations.latest.remove(key)
            generations.before.remove(key)
        }
    }
}
