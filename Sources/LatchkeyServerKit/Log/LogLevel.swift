/// The severity of a log event.
///
/// Each level includes all the more severe levels before it.
public enum LogLevel: String, CaseIterable, Comparable, Sendable {
    /// A failure that the operator should investigate.
    case error
    /// An unexpected event that the server is able to handle.
    case warning
    /// Information for operators about infrequent events, such as the server starting or stopping.
    case info
    /// Information for people who develop the server.
    case debug
    /// Information about every single request.
    case trace

    /// Returns whether the first level is less verbose than the second.
    public static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.order < right.order
    }

    /// The level's position when sorted by increasing verbosity, starting at 0.
    private var order: Int {
        switch self {
        case .error: 0
        case .warning: 1
        case .info: 2
        case .debug: 3
        case .trace: 4
        }
    }
}
