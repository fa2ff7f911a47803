import LatchkeyModel

/// The verdict on a set of rate-limited events.
package enum LimitVerdict: Sendable {
    /// All events are allowed and have been counted.
    case reserved(LimitReservation)

    /// At least one event is not allowed, and no event was counted; the wait is in whole seconds, at least 1.
    case refused(retryAfter: Int)
}

/// Events that were counted before their outcome was known, and that can be given back.
///
/// A reservation may be given back in a later transaction; it must not be given back twice.
package struct LimitReservation: Sendable {
    /// The stored bytes of one bucket before and after the event was counted; `old` is `nil` if the bucket
    /// had no row.
    struct Entry: Sendable {
        let bucket: [UInt8]
        let old: [UInt8]?
        let new: [UInt8]
        let expiry: Timestamp
    }

    /// The changed buckets, in the order in which they were written; events without a limit have no bucket.
    var entries: [Entry] = []
    /// The timestamp that was added to each bucket, and that is removed when the events are given back.
    let time: Timestamp

    /// Whether 80 percent of a share of the limit for all text messages has been used.
    ///
    /// It is `false` if the reservation does not include a text message.
    package var isTextBudgetLow = false
}
