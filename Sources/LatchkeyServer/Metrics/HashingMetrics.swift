import LatchkeyModel
import LatchkeyServerCore
import LatchkeySodium

/// How many passwords were hashed, how long that took, and how many wait for it.
struct HashingMetrics: MetricsSource {
    let hasher: Argon2idHasher

    func write(to text: inout MetricsText) {
        let (count, time) = hasher.total
        text.begin(.hashes)
        text.sample(.hashes, suffix: "_sum", [], Double(time.wholeMicroseconds) / 1e6)
        text.sample(.hashes, suffix: "_count", [], Double(count))
        text.write(.hashQueue, Double(hasher.waiting))
    }
}
