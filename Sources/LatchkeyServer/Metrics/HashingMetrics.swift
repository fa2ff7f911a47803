import LatchkeyModel
import LatchkeyServerKit
import LatchkeySodium

/// Reports how many password hashes were computed, how long that took, and how many passwords are waiting.
struct HashingMetrics: MetricsSource {
    let hasher: Argon2idHasher

    /// Writes the number of hashes, the total hashing time in seconds, and the number of waiting passwords.
    ///
    /// The number of hashes and the hashing time are totals since the server started. The hashing time
    /// doesn't include the time that passwords spent in the queue.
    func write(to text: inout MetricsText) {
        let (count, time) = hasher.total
        text.begin(.hashes)
        text.sample(.hashes, suffix: "_sum", labels: [], value: Double(time.wholeMicroseconds) / 1e6)
        text.sample(.hashes, suffix: "_count", labels: [], value: Double(count))
        text.write(.hashQueue, value: Double(hasher.waiting))
    }
}
