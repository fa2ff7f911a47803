/// How much is logged: a level includes all before it.
public enum LogLevel: String, CaseIterable, Comparable, Sendable {
    /// Something is broken and somebody must look.
    case error
    /// Something is odd, and the server goes on.
    case warning
    /// What an operator wants to know: starts, stops, what changes rarely.
    case info
    /// What a developer of the server wants to know.
    case debug
    /// Each request.
    case trace

    /// Tells whether one level logs less than another.
    public static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.order < right.order
    }

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
