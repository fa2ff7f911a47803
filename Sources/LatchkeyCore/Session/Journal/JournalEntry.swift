public import LatchkeyModel

/// Something that became of the session of a device, without anything secret or personal.
public struct JournalEntry: Hashable, Sendable {
    /// What kind of thing.
    public enum Kind: String, Sendable, CaseIterable {
        /// Somebody logged in here.
        case signedIn = "signed-in"
        /// Somebody logged in in another process of the app.
        case signedInElsewhere = "signed-in-elsewhere"
        /// The app signed out.
        case signedOut = "signed-out"
        /// The record is gone: another process signed out, or somebody removed it.
        case signedOutElsewhere = "signed-out-elsewhere"
        /// The identity server said that the session is over.
        case ended
        /// New tokens came.
        case renewed
        /// No new tokens came; the session holds.
        case notRenewed = "not-renewed"
        /// The store cannot tell whether there is a session; nothing changes by that.
        case storeUnavailable = "store-unavailable"
        /// The store did not do what it was asked.
        case storeFailed = "store-failed"
    }

    /// When, by the device's clock.
    public var time: Timestamp

    /// The process in which it happened; nothing in a journal that ends with it.
    public var process: Int32?

    /// What kind of thing.
    public var kind: Kind

    /// What happened, in a sentence for a developer.
    public var detail: String

    /// Creates an entry.
    ///
    /// - Parameters:
    ///   - time: When.
    ///   - kind: What kind of thing.
    ///   - detail: A sentence for a developer, on one line.
    ///   - process: The process in which it happened.
    public init(_ time: Timestamp, _ kind: Kind, _ detail: String, process: Int32? = nil) {
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
