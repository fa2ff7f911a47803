public import LatchkeyModel
public import LatchkeyWire

/// The data that an account contains about its user, as defined by the identity schema.
///
/// ```swift
/// var traits: Traits = ["email": "user@example.org", "name": ["first": "User", "last": "Test"]]
/// traits["newsletter"] = true
/// ```
public struct Traits: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// The values of the traits, keyed by name.
    public var values: [String: JSONValue]

    /// Creates traits from their values.
    public init(_ values: [String: JSONValue] = [:]) {
        self.values = values
    }

    /// Creates traits from a dictionary literal.
    ///
    /// If a name occurs more than once, the last value is used.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        values = Dictionary(elements) { _, last in last }
    }

    /// The value of a trait, or `nil` if it isn't set.
    public subscript(name: String) -> JSONValue? {
        get { values[name] }
        set { values[name] = newValue }
    }

    /// Creates traits by encoding one of the app's own types.
    ///
    /// - Parameter value: A value that encodes to a JSON object.
    /// - Throws: ``LatchkeyError/Code/invalidInput`` if the value can't be encoded or doesn't encode to a
    ///   JSON object.
    public init(encoding value: some Encodable) throws(LatchkeyError) {
        var failure = LatchkeyError.invalid(
            "traits",
            message: "The traits cannot be encoded as a JSON object."
        )
        let members: [String: JSONValue]?
        do {
            members = try JSONCoding.decode(JSONValue.self, from: try JSONCoding.encode(value)).object
        } catch {
            failure.cause = error
            throw failure
        }
        guard let members else { throw failure }
        self.init(members)
    }

    /// Decodes the traits as one of the app's own types.
    ///
    /// - Parameter type: The type to decode. Traits that the type doesn't define are ignored, unless the type
    ///   rejects them.
    /// - Returns: The decoded value.
    /// - Throws: ``LatchkeyError/Code/invalidResponse`` if a trait is missing or has the wrong type.
    public func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws(LatchkeyError) -> Value {
        do {
            return try JSONCoding.decode(type, from: try JSONCoding.encode(values), keepsNumbers: false)
        } catch {
            throw LatchkeyError(
                .invalidResponse,
                message: "The account's traits cannot be decoded as \(type).",
                cause: error
            )
        }
    }
}

/// Accessors for the traits that the built-in identity schemas define.
extension Traits {
    /// The `phone` trait, or `nil` if it is missing or isn't a valid phone number.
    public var phone: PhoneNumber? {
        get { values["phone"]?.text.flatMap { PhoneNumber($0) } }
        set { values["phone"] = newValue.map { .string($0.e164) } }
    }

    /// The `email` trait, or `nil` if it is missing or isn't a valid e-mail address.
    public var email: EmailAddress? {
        get { values["email"]?.text.flatMap { EmailAddress($0) } }
        set { values["email"] = newValue.map { .string($0.address) } }
    }

    /// The `name` trait, or `nil` if the first name or the last name is missing.
    public var name: PersonName? {
        get {
            guard let first = values["name"]?["first"]?.text, let last = values["name"]?["last"]?.text else {
                return nil
            }
            return PersonName(first: first, last: last)
        }
        set {
            values["name"] = newValue.map {
                .object(["first": .string($0.first), "last": .string($0.last)])
            }
        }
    }
}

extension Traits: CustomReflectable {
    /// A mirror for printing, which contains the names of the traits and masked values.
    public var customMirror: Mirror {
        let children = values.sorted { $0.key < $1.key }.map { name, value in
            (label: Optional(name), value: (value.text.map { Masked($0) } ?? Masked()) as Any)
        }
        return Mirror(self, children: children, displayStyle: .struct)
    }
}
