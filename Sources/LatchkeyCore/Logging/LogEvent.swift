/// An event for the app's log, which contains neither secrets nor personal data.
public struct LogEvent: Hashable, Sendable {
    /// The importance of an event.
    public enum Level: Int, Comparable, Sendable, CaseIterable {
        /// A request received a response.
        case debug
        /// The session changed.
        case info
        /// An operation failed, and the client is going to try again.
        case warning
        /// An operation failed and was not completed. For example, a record could not be stored.
        case error

        /// Returns whether the first level is less important than the second one.
        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// The level of the event, which indicates how important it is.
    public let level: Level

    /// The stable name of the event, which is `request`, `session.` followed by the kind of a ``JournalEntry``, or
    /// `login.` followed by the step of a login that failed.
    public let name: String

    /// A one-sentence description of the event for developers.
    public let message: String

    /// Additional details, keyed by name, such as the `status` of a response.
    public let metadata: [String: String]

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - level: The importance of the event.
    ///   - name: The stable name of the event.
    ///   - message: A one-sentence description for developers.
    ///   - metadata: Additional details, keyed by name.
    public init(level: Level, name: String, message: String, metadata: [String: String] = [:]) {
        self.level = level
        self.name = name
        self.message = message
        self.metadata = metadata
    }
}

extension LogEvent: CustomStringConvertible {
    /// The level, name and message of the event on a single line.
    public var description: String { "\(level) \(name): \(message)" }
}

extension LogEvent {
    /// Creates an event from a journal entry.
    init(_ entry: JournalEntry) {
        let level: Level =
            switch entry.kind {
            case .signedIn, .signedInElsewhere, .signedOut, .signedOutElsewhere, .ended, .renewed: .info
            case .notRenewed, .storeUnavailable: .warning
            case .storeFailed: .error
            }
        self.init(level: level, name: "session.\(entry.kind.rawValue)", message: entry.detail)
    }
}
