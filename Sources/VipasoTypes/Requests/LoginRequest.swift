/// The credentials of a login.
///
/// Textual representations of the request omit the credentials. The properties correspond to those in
/// Vipaso's document on login and logout.
public struct LoginRequest: Hashable, Sendable {
    /// A customer's phone number or a business user's e-mail address.
    ///
    /// Separators in a phone number and spaces around an address are ignored.
    public var identifier: String

    /// The password or passcode.
    public var password: String

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - identifier: A customer's phone number with its country code, or a business user's e-mail address.
    ///   - password: The password or passcode.
    public init(identifier: String, password: String) {
        self.identifier = identifier
        self.password = password
    }
}

extension LoginRequest: CustomStringConvertible, CustomReflectable {
    /// The name of the type, without the credentials.
    public var description: String { "LoginRequest" }

    /// A mirror without children, so that the credentials are not printed.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
