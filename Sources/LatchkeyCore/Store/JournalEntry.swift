public import LatchkeyModel

/// An event in the history of this device's session.
///
/// Entries contain neither secrets nor personal data.
public struct JournalEntry: Hashable, Sendable {
    /// The kind of event that a journal entry is about.
    public enum Kind: String, Sendable, CaseIterable {
        /// A user logged in through this process.
        case signedIn = "signed-in"
        /// A user logged in through another process of the app.
        case signedInElsewhere = "signed-in-elsewhere"
        /// The app signed the user out.
        case signedOut = "signed-out"
        /// The record no longer exists, because another process signed out or the record was deleted.
        case signedOutElsewhere = "signed-out-elsewhere"
        /// The identity server responded that the session has ended.
        case ended
        /// New tokens were stored.
        case renewed
        /// The tokens could not be refreshed. The session remains active.
        case notRenewed = "not-renewed"
        /// The store could not be read. The session isn't affected.
        case storeUnavailable = "store-unavailable"
        /// The record could not be written or removed.
        case storeFailed = "store-failed"
    }

    /// The time of the event, according to the device's clock.
    public var time: Timestamp

    /// The id of the process that recorded the event, or `nil` if only one process uses the journal.
    public var process: Int32?

    /// The kind of event.
    public var kind: Kind

    /// A one-line description of the event for developers.
    public var detail: String

    /// Creates an entry.
    ///
    /// - Parameters:
    ///   - kind: The kind of event.
    ///   - time: The time of the event, according to the device's clock.
    ///   - detail: A one-line description for developers, which must not contain secrets or personal data.
    ///   - process: The id of the process, or `nil` if only this process uses the journal.
    public init(_ kind: Kind, at time: Timestamp, detail: String, process: Int32? = nil) {
        self.time = time
        self.kind = kind
        self.detail = detail
        self.process = process
    }
}

extension JournalEntry: CustomStringConvertible {
    /// The time, kind and description of the entry on a single line.
    public var description: String { "\(time) \(kind.rawValue): \(detail)" }
}
