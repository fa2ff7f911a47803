import LatchkeyModel

/// The verdict on a set of rate-limited events.
package enum LimitVerdict: Sendable {
    /// All events are allowed and have been counted.
    case reserved(LimitReservation)

    /// At least one event is not allowed, so no event was counted; the wait is at least 1, in whole seconds.
    case refused(retryAfter: Int)
}

/// Events that were counted before their outcome was known, and that can be given back.
///
/// A reservation can be given back once, also in a later transaction.
package struct LimitReservation: Sendable {
    /// The stored bytes of a bucket before and after the event was counted.
    ///
    /// The value `old` is `nil` if the bucket had no row.
    struct Entry: Sendable {
        let bucket: [UInt8]
        let old: [UInt8]?
        let new: [UInt8]
        let expiry: Timestamp
    }

    /// The changed buckets, in the order in which they were written; events without a limit have no bucket.
    var entries: [Entry] = []
    /// The timestamp that was added to each bucket, which giving back the events removes.
    let time: Timestamp

    /// Whether 80 percent of a share of the limit for all text messages has been used.
    ///
    /// The value is `false` if the reservation does not include a text message.
    package var isTextBudgetLow = false
}
