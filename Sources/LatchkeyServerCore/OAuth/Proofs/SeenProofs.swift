import LatchkeyModel

/// The proofs that this process has accepted, so that a copy of one is not accepted while it is fresh.
///
/// What other processes have accepted is in the ``SeenProofRepository``.
///
/// Two generations of bounded size: under more load than they hold, the oldest are forgotten first.
final class SeenProofs: Sendable {
    /// The longest that a proof can be fresh.
    static let window = ProofNonces.lifespan + .seconds(60)

    private struct Key: Hashable {
        let first: UInt64
        let second: UInt64

        init(_ bytes: [UInt8]) {
            first = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
            second = bytes.dropFirst(8).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    private struct Generations {
        var latest: Set<Key> = []
        var before: Set<Key> = []
        var since = Timestamp(microseconds: .min)
    }

    private let limit: Int
    private let generations = Locked(Generations())

    init(limit: Int = 250_000) {
        self.limit = limit
    }

    /// Writes a proof down.
    ///
    /// - Returns: Whether it is new.
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

    /// Forgets a proof.
    func remove(_ proof: PresentedProof) {
        let key = Key(proof.fingerprint)
        generations.withLock { generations in
            generations.latest.remove(key)
            generations.before.remove(key)
        }
    }
}
