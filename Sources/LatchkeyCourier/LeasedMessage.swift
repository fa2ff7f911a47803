import LatchkeyModel

/// A message on which one worker holds a lease.
struct LeasedMessage: Sendable {
    /// The id of the message and its row; the sealed content is bound to this id.
    let id: Identifier
    /// The raw value of the ``Message/Channel``, as stored.
    let channel: String
    /// The raw value of the ``MessageKind``, as stored; older versions of the server may have written other
    /// values.
    let template: String
    /// The sealed content; ``MessageSealer`` opens it.
    let sealed: [UInt8]

    /// The number of this attempt, counted from 1.
    let attempt: Int

    /// The expiry of the lease; the id and the expiry together identify the lease.
    let until: Timestamp
}
