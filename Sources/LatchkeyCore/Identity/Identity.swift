public import LatchkeyModel

/// The user's account, with the data that the user is allowed to see.
public struct Identity: Hashable, Sendable {
    /// The account's identifier on the server.
    public var id: String

    /// The name of the account's identity schema, such as `customer`; empty if the server did not send it.
    public var schema: String

    /// The account's phone number, or `nil` if it has none.
    public var phone: PhoneNumber?

    /// The account's e-mail address, or `nil` if it has none.
    public var email: EmailAddress?

    /// The user's name, or `nil` if the account has none.
    public var name: PersonName?

    /// Creates an identity.
    ///
    /// - Parameters:
    ///   - id: The account's identifier on the server.
    ///   - schema: The name of the identity schema; empty if it is not known.
    ///   - phone: The phone number, if the account has one.
    ///   - email: The e-mail address, if the account has one.
    ///   - name: The user's name, if the account has one.
    public init(
        id: String,
        schema: String,
        phone: PhoneNumber? = nil,
        email: EmailAddress? = nil,
        name: PersonName? = nil
    ) {
        self.id = id
        self.schema = schema
        self.phone = phone
        self.email = email
        self.name = name
    }
}
