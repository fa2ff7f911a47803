public import LatchkeyModel

/// A journal entry about the session on this device, without secrets or personal data.
public struct JournalEntry: Hashable, Sendable {
    /// The kind of a journal entry.
    public enum Kind: String, Sendable, CaseIterable {
        /// A user logged in within this process.
        case signedIn = "signed-in"
        /// A user logged in within another process of the app.
        case signedInElsewhere = "signed-in-elsewhere"
        /// The app signed the user out.
        case signedOut = "signed-out"
        /// The record disappeared: another process signed out, or the record was deleted.
        case signedOutElsewhere = "signed-out-elsewhere"
        /// The identity server responded that the session has ended.
        case ended
        /// New tokens were stored.
        case renewed
        /// A refresh failed; the session remains active.
        case notRenewed = "not-renewed"
        /// The store could not be read; the session is unchanged.
        case storeUnavailable = "store-unavailable"
        /// Writing or removing the record failed.
        case storeFailed = "store-failed"
    }

    /// The time of the event, according to the device's clock.
    public var time: Timestamp

    /// The identifier of the process that recorded the event, or `nil` in a journal that only one process
    /// uses.
    public var process: Int32?

    /// The kind of the entry.
    public var kind: Kind

    /// A description of the event for developers, on one line.
    public var detail: String

    /// Creates an entry.
    ///
    /// - Parameters:
    ///   - kind: The kind of the entry.
    ///   - time: The time of the event, according to the device's clock.
    ///   - detail: A sentence for developers, on one line, without secrets or personal data.
    ///   - process: The identifier of the process, or `nil` in a journal that only this process uses.
    public init(_ kind: Kind, at time: Timestamp, detail: String, process: Int32? = nil) {
        self.time = time
        self.kind = kind
        self.detail = detail
        self.process = process
    }
}

extension JournalEntry: CustomStringConvertible {
    /// The entry on one line: time, kind, detail.
    public var description: String { "\(time) \(kind.rawValue): \(detail)" }
}
