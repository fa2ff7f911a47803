/// A way to log in, among those that the server's forms offer.
public struct LoginWay: RawRepresentable, Hashable, Sendable {
    /// The name of the method or of the flow.
    public let rawValue: String

    /// Creates a way with a name, for methods that this version does not know.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// A password.
    public static let password = LoginWay(rawValue: "password")
    /// A code that is sent to an address of the account.
    public static let code = LoginWay(rawValue: "code")
    /// A new account.
    public static let signUp = LoginWay(rawValue: "registration")
    /// A code that opens a session although the password is forgotten.
    public static let recovery = LoginWay(rawValue: "recovery")
}
