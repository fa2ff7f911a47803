/// The severity of log events.
///
/// Each level includes the more severe levels before it.
public enum LogLevel: String, CaseIterable, Comparable, Sendable {
    /// A failure that requires the operator's attention.
    case error
    /// An unexpected event that the server can handle.
    case warning
    /// Information for operators about infrequent events, such as the start and the stop of the server.
    case info
    /// Information for developers of the server.
    case debug
    /// Information about each request.
    case trace

    /// Returns whether the left level is less verbose than the right one.
    public static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.order < right.order
    }

    /// The position in the order of increasing verbosity, counted from 0.
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
