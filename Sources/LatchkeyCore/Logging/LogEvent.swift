/// An event for the app's log, without secrets and personal data.
public struct LogEvent: Hashable, Sendable {
    /// The importance of an event.
    public enum Level: Int, Comparable, Sendable, CaseIterable {
        /// A request that received a response.
        case debug
        /// A change of the session.
        case info
        /// A failure after which the client tries again.
        case warning
        /// A failure that leaves something undone, such as a record that was not stored.
        case error

        /// Returns whether a level is less important than another.
        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// The importance of the event.
    public let level: Level

    /// The stable name of the kind of event: `request`, or `session.` and the kind of a ``JournalEntry``.
    public let name: String

    /// A description of the event for developers, in one sentence.
    public let message: String

    /// Further details by name, such as `status` for a request.
    public let metadata: [String: String]

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - level: The importance of the event.
    ///   - name: The stable name of the kind of event.
    ///   - message: A sentence for developers.
    ///   - metadata: Further details by name.
    public init(level: Level, name: String, message: String, metadata: [String: String] = [:]) {
        self.level = level
        self.name = name
        self.message = message
        self.metadata = metadata
    }
}

extension LogEvent: CustomStringConvertible {
    /// The event on one line: level, name, message.
    public var description: String { "\(level) \(name): \(message)" }
}

extension LogEvent {
    /// Creates the event for a journal entry.
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
