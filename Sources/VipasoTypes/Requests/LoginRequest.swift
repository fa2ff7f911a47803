/// The credentials for logging in.
///
/// Textual representations of the request omit the credentials. The properties correspond to those in
/// Vipaso's documentation of login and logout.
public struct LoginRequest: Hashable, Sendable {
    /// The phone number of a customer or the e-mail address of a business user.
    ///
    /// Separators in a phone number and spaces around an e-mail address are ignored. The digits of a number
    /// can be those of any script.
    public var identifier: String

    /// The password or passcode.
    public var password: String

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - identifier: A customer's phone number including the country code, or a business user's e-mail
    ///     address.
    ///   - password: The password or passcode.
    public init(identifier: String, password: String) {
        self.identifier = identifier
        self.password = password
    }
}

extension LoginRequest: CustomStringConvertible, CustomReflectable {
    /// A description that contains the type's name but not the credentials.
    public var description: String { "LoginRequest" }

    /// A mirror without children, so the credentials are not printed.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
