import LatchkeyModel
import LatchkeyServerKit
import LatchkeySodium

/// The number of computed password hashes, the total time spent on them, and the number of passwords waiting
/// to be hashed.
struct HashingMetrics: MetricsSource {
    let hasher: Argon2idHasher

    /// Writes the number of hashes and the total hashing time in seconds since the server started, and the
    /// number of waiting passwords.
    ///
    /// The hashing time does not include the time in the queue.
    func write(to text: inout MetricsText) {
        let (count, time) = hasher.total
        text.begin(.hashes)
        text.sample(.hashes, suffix: "_sum", labels: [], value: Double(time.wholeMicroseconds) / 1e6)
        text.sample(.hashes, suffix: "_count", labels: [], value: Double(count))
        text.write(.hashQueue, value: Double(hasher.waiting))
    }
}
