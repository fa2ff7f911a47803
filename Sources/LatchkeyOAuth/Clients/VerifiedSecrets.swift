import LatchkeyCrypto
import LatchkeyModel

/// Remembers the secrets that have matched a slow hash, as keyed hashes with a key of this process.
final class VerifiedSecrets: Sendable {
    static let mostEntries = 1024

    private let key: HMACKey
    /// The keyed hash of the right secret for each slow hash.
    private let entries = Locked<[String: [UInt8]]>([:])

    init(random: any RandomSource) {
        key = HMACKey(bytes: random.bytes(32))
    }

    /// Returns whether a secret is the right one for a slow hash, or `nil` if that isn't known yet.
    func matches(_ secret: Secret, hash: String) -> Bool? {
        guard let code = entries.withLock({ $0[hash] }) else { return nil }
        return key.isAuthentic(code, of: Array(secret.exposed.utf8))
    }

    func remember(_ secret: Secret, for hash: String) {
        let code = key.authenticate(Array(secret.exposed.utf8))
        entries.withLock { entries in
            if entries.count >= Self.mostEntries, entries[hash] == nil, let other = entries.keys.first {
                entries[other] = nil
            }
            entries[hash] = code
        }
    }

    var count: Int { entries.withLock { $0.count } }
}
