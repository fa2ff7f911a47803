import LatchkeyModel

/// A message on which one worker holds a lease.
struct LeasedMessage: Sendable {
    /// The id of the message and its row, to which the sealed content is bound.
    let id: Identifier
    /// The stored raw value of the ``Message/Channel``.
    let channel: String
    /// The stored raw value of the ``MessageKind``.
    ///
    /// Older versions of the server may have stored other values.
    let template: String
    /// The sealed content, which ``MessageSealer`` opens.
    let sealed: [UInt8]

    /// The number of this attempt, counted from 1.
    let attempt: Int

    /// The expiry of the lease, which identifies the lease together with the id.
    let until: Timestamp
}
