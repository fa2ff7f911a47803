import LatchkeyModel

/// Whether a set of rate-limited events is allowed.
package enum LimitVerdict: Sendable {
    /// All events are allowed and have been counted.
    case reserved(LimitReservation)

    /// At least one event isn't allowed, so no events were counted.
    ///
    /// The associated value is the number of seconds to wait, which is at least 1.
    case refused(retryAfter: Int)
}

/// Events that were counted before their outcome was known, and that can be given back.
///
/// A reservation can be given back only once, either in the same transaction or in a later one.
package struct LimitReservation: Sendable {
    /// The stored bytes of a bucket before and after an event was counted.
    ///
    /// `old` is `nil` if the bucket had no row.
    struct Entry: Sendable {
        let bucket: [UInt8]
        let old: [UInt8]?
        let new: [UInt8]
        let expiry: Timestamp
    }

    /// The changed buckets, in the order they were written.
    ///
    /// If an event isn't limited, it has no bucket.
    var entries: [Entry] = []
    /// The timestamp that was added to each bucket.
    ///
    /// The timestamp is removed again when the reservation is given back.
    let time: Timestamp

    /// Whether 80 percent of one share of the text message limit has been used.
    ///
    /// Always `false` if the reservation doesn't include a text message.
    package var isTextBudgetLow = false
}
