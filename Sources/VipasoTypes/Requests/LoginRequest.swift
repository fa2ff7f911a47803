/// What logs somebody in; its password is not printed.
public struct LoginRequest: Hashable, Sendable {
    /// A customer's phone number or a business user's e-mail address.
    public var identifier: String

    /// The password.
    public var password: String

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - identifier: A customer's phone number or a business user's e-mail address.
    ///   - password: The password.
    public init(identifier: String, password: String) {
        self.identifier = identifier
        self.password = password
    }
}

extension LoginRequest: CustomStringConvertible, CustomReflectable {
    /// The name of the type alone.
    public var description: String { "LoginRequest" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
