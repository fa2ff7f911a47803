/// The reason why a login is presented, for the text that a presenter shows.
public struct LoginReason: Hashable, Sendable {
    private enum Kind: Hashable {
        case explicit
        case sessionEnded
        case action(String)
    }

    private let kind: Kind

    /// The user asked to log in.
    public static let explicit = LoginReason(kind: .explicit)

    /// The session ended while an action ran, which continues after the login.
    public static let sessionEnded = LoginReason(kind: .sessionEnded)

    /// An action needs a user.
    ///
    /// - Parameter name: The app's name for the action, such as `buy`; may be empty.
    /// - Returns: The reason.
    public static func action(_ name: String) -> LoginReason { LoginReason(kind: .action(name)) }

    /// The name of the action; `nil` for other reasons.
    public var actionName: String? {
        if case .action(let name) = kind { name } else { nil }
    }
}
