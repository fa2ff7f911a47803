public import LatchkeyModel
public import LatchkeyWire

/// The user's account, with the data that the user is allowed to see.
public struct Identity: Hashable, Sendable {
    /// The account's id on the server.
    public var id: String

    /// The id of the account's identity schema, such as `customer`, or an empty string if the server didn't
    /// send it.
    public var schema: String

    /// The account's traits, as defined by its identity schema.
    ///
    /// The value is always a JSON object, which is empty if the server didn't send any traits.
    public var traits: JSONValue

    /// The account's public metadata, or `null` if there is none.
    ///
    /// Only the operator can change this metadata.
    public var metadata: JSONValue

    /// Creates an identity from its traits.
    ///
    /// - Parameters:
    ///   - id: The account's id on the server.
    ///   - schema: The id of the identity schema, or an empty string if it is unknown.
    ///   - traits: The account's traits. If this isn't a JSON object, the identity has no traits.
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
    ///   - id: The account's id on the server.
    ///   - schema: The id of the identity schema, or an empty string if it is unknown.
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

/// Accessors for the traits that the built-in schemas define.
extension Identity {
    /// The `phone` trait, or `nil` if it is missing or isn't a valid phone number.
    public var phone: PhoneNumber? {
        get { traits["phone"]?.text.flatMap { PhoneNumber($0) } }
        set { set("phone", to: newValue.map { .string($0.e164) }) }
    }

    /// The `email` trait, or `nil` if it is missing or isn't a valid e-mail address.
    public var email: EmailAddress? {
        get { traits["email"]?.text.flatMap { EmailAddress($0) } }
        set { set("email", to: newValue.map { .string($0.address) }) }
    }

    /// The `name` trait, or `nil` if the first name or the last name is missing.
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

extension Identity: CustomReflectable {
    /// A mirror for printing, in which the values of the traits and the metadata are masked.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "id": id, "schema": schema, "traits": Traits(traits.object ?? [:]),
                "metadata": metadata == .null ? nil as Masked? as Any : Masked(),
            ],
            displayStyle: .struct
        )
    }
}
