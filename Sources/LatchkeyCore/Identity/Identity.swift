public import LatchkeyModel
public import LatchkeyWire

/// The user's account, with the data that the user is allowed to see.
public struct Identity: Hashable, Sendable {
    /// The account's identifier on the server.
    public var id: String

    /// The name of the account's identity schema, such as `customer`; empty if the server did not send it.
    public var schema: String

    /// The account's data according to its identity schema: a JSON object, which is empty if the server did
    /// not send it.
    public var traits: JSONValue

    /// The account's public metadata, which only the server's operator can change; `null` if there is none.
    public var metadata: JSONValue

    /// Creates an identity from its traits.
    ///
    /// - Parameters:
    ///   - id: The account's identifier on the server.
    ///   - schema: The name of the identity schema; empty if it is not known.
    ///   - traits: The account's data; any value other than an object becomes an empty object.
    ///   - metadata: The account's public metadata.
    public init(id: String, schema: String, traits: JSONValue, metadata: JSONValue = .null) {
        self.id = id
        self.schema = schema
        self.traits = if case .object = traits { traits } else { .object([:]) }
        self.metadata = metadata
    }

    /// Creates an identity with the traits that the built-in schemas define.
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
        self.init(id: id, schema: schema, traits: .object([:]))
        self.phone = phone
        self.email = email
        self.name = name
    }
}

/// The traits that the built-in schemas define.
extension Identity {
    /// The trait `phone`, or `nil` if the account has none or it is not a valid phone number.
    public var phone: PhoneNumber? {
        get { traits["phone"]?.text.flatMap { PhoneNumber($0) } }
        set { set("phone", to: newValue.map { .string($0.e164) }) }
    }

    /// The trait `email`, or `nil` if the account has none or it is not a valid e-mail address.
    public var email: EmailAddress? {
        get { traits["email"]?.text.flatMap { EmailAddress($0) } }
        set { set("email", to: newValue.map { .string($0.address) }) }
    }

    /// The trait `name`, or `nil` unless it has both parts, `first` and `last`.
    public var name: PersonName? {
        get {
            guard let first = traits["name"]?["first"]?.text, let last = traits["name"]?["last"]?.text else {
                return nil
            }
            return PersonName(first: first, last: last)
        }
        set {
            set(
                "name",
                to: newValue.map { .object(["first": .string($0.first), "last": .string($0.last)]) }
            )
        }
    }

    /// Sets a trait, or removes it if the value is `nil`.
    private mutating func set(_ trait: String, to value: JSONValue?) {
        var members: [String: JSONValue] = [:]
        if case .object(let current) = traits { members = current }
        members[trait] = value
        traits = .object(members)
    }
}
