import LatchkeyModel

/// A message that is leased by one worker.
struct LeasedMessage: Sendable {
    /// The message id.
    ///
    /// The encrypted content can be decrypted only with this id.
    let id: Identifier
    /// The raw value of ``Message/Channel`` as stored in the database.
    let channel: String
    /// The raw value of ``MessageKind`` as stored in the database.
    let template: String
    /// The encrypted content, which can be decrypted with ``MessageSealer``.
    let sealed: [UInt8]

    /// The number of this attempt, starting at 1.
    let attempt: Int

    /// When the lease expires.
    ///
    /// Together with the id, this identifies the lease.
    let until: Timestamp
}
