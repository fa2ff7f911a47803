public import LatchkeyModel
public import LatchkeyWire

/// The user's data that an account stores, as defined by its identity schema.
///
/// ```swift
/// var traits: Traits = ["email": "user@example.org", "name": ["first": "User", "last": "Test"]]
/// traits["newsletter"] = true
/// ```
public struct Traits: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// The traits by name.
    public var values: [String: JSONValue]

    /// Creates traits; by default, there are none.
    public init(_ values: [String: JSONValue] = [:]) {
        self.values = values
    }

    /// Creates traits from a literal; the last of several values with the same name is used.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        values = Dictionary(elements) { _, last in last }
    }

    /// The value of a trait; `nil` if there is none.
    public subscript(name: String) -> JSONValue? {
        get { values[name] }
        set { values[name] = newValue }
    }

    /// Creates traits from an app's own type.
    ///
    /// - Parameter value: A value that is encoded as a JSON object.
    /// - Throws: ``LatchkeyError/Code/invalidInput`` if it is encoded as anything else, or cannot be encoded.
    public init(encoding value: some Encodable) throws(LatchkeyError) {
        guard let bytes = try? JSONCoding.encode(value),
            let members = (try? JSONCoding.decode(JSONValue.self, from: bytes))?.object
        else { throw .invalid("traits", message: "The traits cannot be encoded as a JSON object.") }
        self.init(members)
    }

    /// Returns the traits as an app's own type.
    ///
    /// - Parameter type: The type to decode; unknown traits are ignored unless the type rejects them.
    /// - Returns: The decoded value.
    /// - Throws: ``LatchkeyError/Code/invalidAnswer`` if a trait is missing or has another type.
    public func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws(LatchkeyError) -> Value {
        do {
            return try JSONCoding.decode(type, from: try JSONCoding.encode(values))
        } catch {
            throw LatchkeyError(
                .invalidAnswer,
                message: "The traits of the account cannot be decoded as \(type).",
                cause: error
            )
        }
    }
}

/// The traits that the built-in identity schemas define.
extension Traits {
    /// The trait `phone`; `nil` if it is missing or not a phone number.
    public var phone: PhoneNumber? {
        get { values["phone"]?.text.flatMap { PhoneNumber($0) } }
        set { values["phone"] = newValue.map { .string($0.e164) } }
    }

    /// The trait `email`; `nil` if it is missing or not an e-mail address.
    public var email: EmailAddress? {
        get { values["email"]?.text.flatMap { EmailAddress($0) } }
        set { values["email"] = newValue.map { .string($0.address) } }
    }

    /// The trait `name` with the members `first` and `last`; `nil` if one of them is missing.
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
