/// The reason why a login is presented, so that a presenter can show a suitable text.
public struct LoginReason: Hashable, Sendable {
    private enum Kind: Hashable {
        case explicit
        case sessionEnded
        case action(String)
    }

    private let kind: Kind

    /// The user asked to log in.
    public static let explicit = LoginReason(kind: .explicit)

    /// The session ended while an action was running.
    ///
    /// The action continues after the login.
    public static let sessionEnded = LoginReason(kind: .sessionEnded)

    /// An action requires a logged-in user.
    ///
    /// - Parameter name: The app's name for the action, such as `buy`. May be empty.
    /// - Returns: A login reason that includes the name of the action.
    public static func action(_ name: String) -> LoginReason { LoginReason(kind: .action(name)) }

    /// The name of the action, or `nil` if the login isn't presented for an action.
    public var actionName: String? {
        if case .action(let name) = kind { name } else { nil }
    }
}

extension LoginReason: CustomStringConvertible, CustomReflectable {
    /// The name of the reason, such as `explicit` or `action(buy)`.
    public var description: String {
        switch kind {
        case .explicit: "explicit"
        case .sessionEnded: "sessionEnded"
        case .action(let name): "action(\(name))"
        }
    }

    /// A mirror without children, so that `dump` prints the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
