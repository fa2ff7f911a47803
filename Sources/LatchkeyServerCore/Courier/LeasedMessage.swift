import LatchkeyModel

/// A message that one worker has for itself for a while.
struct LeasedMessage: Sendable {
    let id: Identifier
    let channel: String
    let template: String
    let sealed: [UInt8]

    /// Which attempt this is, counted from 1.
    let attempt: Int

    /// The end of the lease; with the id it names this lease among all.
    let until: Timestamp
}
