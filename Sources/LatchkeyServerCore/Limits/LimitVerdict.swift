import LatchkeyModel

/// Whether events may happen.
package enum LimitVerdict: Sendable {
    /// They may, and count from now on.
    case reserved(LimitReservation)

    /// One of them may not, so that none counts; later one may try again, in whole seconds, at least one.
    case refused(retryAfter: Int)
}

/// Events that were counted before they were judged.
package struct LimitReservation: Sendable {
    let buckets: [[UInt8]]
    let time: Timestamp
}
