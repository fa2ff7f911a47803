public import LatchkeyModel

/// A person's account as its owner sees it.
public struct Identity: Hashable, Sendable {
    /// The server's id of the account.
    public var id: String

    /// The name of the schema the account follows, such as `customer`; empty when the server did not tell it.
    public var schema: String

    /// The phone number of the account.
    public var phone: PhoneNumber?

    /// The e-mail address of the account.
    public var email: EmailAddress?

    /// The person's name.
    public var name: PersonName?

    /// Creates an identity.
    ///
    /// - Parameters:
    ///   - id: The server's id of the account.
    ///   - schema: The name of the schema.
    ///   - phone: The phone number.
    ///   - email: The e-mail address.
    ///   - name: The person's name.
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
