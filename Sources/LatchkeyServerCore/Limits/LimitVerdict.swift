import LatchkeyModel

/// Whether events are allowed.
package enum LimitVerdict: Sendable {
    /// They are allowed, and count from now on.
    case reserved(LimitReservation)

    /// One of them is not, so that none counts. The wait is in whole seconds, at least 1.
    case refused(retryAfter: Int)
}

/// Events that were counted before their outcome was known.
package struct LimitReservation: Sendable {
    /// One count with the bytes before and after.
    struct Entry: Sendable {
        let bucket: [UInt8]
        let old: [UInt8]?
        let new: [UInt8]
        let expiry: Timestamp
    }

    var entries: [Entry] = []
    let time: Timestamp

    /// Whether four fifths of a share of all text messages are used.
    var isTextBudgetLow = false
}
