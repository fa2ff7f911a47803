import LatchkeyModel

/// A message on which one worker holds a lease.
struct LeasedMessage: Sendable {
    let id: Identifier
    let channel: String
    let template: String
    /// The sealed content; ``MessageSealer`` opens it.
    let sealed: [UInt8]

    /// The number of this attempt, counted from 1.
    let attempt: Int

    /// The expiry of the lease; together with the id it identifies the lease.
    let until: Timestamp
}
