import LatchkeyModel
import LatchkeyServerKit
import LatchkeySodium

/// The number of password hashes, their total duration, and the length of the queue.
struct HashingMetrics: MetricsSource {
    let hasher: Argon2idHasher

    /// Writes the total hashing time in seconds, without the time in the queue, and the number of hashes,
    /// both since the start.
    func write(to text: inout MetricsText) {
        let (count, time) = hasher.total
        text.begin(.hashes)
        text.sample(.hashes, suffix: "_sum", labels: [], value: Double(time.wholeMicroseconds) / 1e6)
        text.sample(.hashes, suffix: "_count", labels: [], value: Double(count))
        text.write(.hashQueue, value: Double(hasher.waiting))
    }
}
