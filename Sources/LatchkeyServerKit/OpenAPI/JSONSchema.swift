/// A schema for the JSON in requests and responses.
///
/// The supported features are the subset of JSON Schema 2020-12 that the server needs for OpenAPI 3.1.
package indirect enum JSONSchema: Sendable {
    /// A member of an object.
    package struct Property: Sendable {
        package let name: String
        package let schema: JSONSchema
        package let isRequired: Bool

        /// Creates a member that is always present.
        package static func required(_ name: String, _ schema: JSONSchema) -> Property {
            Property(name: name, schema: schema, isRequired: true)
        }

        /// Creates a member that may be absent.
        package static func optional(_ name: String, _ schema: JSONSchema) -> Property {
            Property(name: name, schema: schema, isRequired: false)
        }
    }

    /// The constraints on a string.
    ///
    /// A value of `nil` or an empty list means that there is no constraint.
    package struct Text: Sendable {
        /// The JSON Schema `format`, such as `uuid` or `date-time`.
        package var format: String?
        /// An ECMA-262 regular expression that the text must match.
        package var pattern: String?
        /// The allowed values (`enum`).
        package var values: [String] = []
        /// The maximum number of characters (`maxLength`).
        package var longest: Int?
    }

    case any
    case null
    case boolean
    case integer(minimum: Int64?, maximum: Int64?)
    case string(Text)
    case array(JSONSchema, most: Int?)

    /// An object with known members.
    ///
    /// If an object is open, it may contain additional members that aren't known in advance. For all other
    /// objects, the contract tests reject undocumented members. The published document doesn't show whether
    /// an object is open.
    case object([Property], isOpen: Bool)

    /// A value that matches at least one of several schemas (`anyOf`).
    case either([JSONSchema])

    /// A reference to a named schema.
    case component(SchemaComponent)
}

extension JSONSchema {
    /// Any string.
    package static let text = JSONSchema.string(Text())
    /// Any integer.
    package static let integer = JSONSchema.integer(minimum: nil, maximum: nil)
    /// A UUID in text form (RFC 9562, section 4).
    package static let uuid = JSONSchema.string(Text(format: "uuid"))
    /// A date and time in RFC 3339 format (`date-time`).
    package static let time = JSONSchema.string(Text(format: "date-time"))
    /// An object that can have any members.
    package static let anyObject = JSONSchema.object([], isOpen: true)

    /// Creates a schema for an object that only has the given members.
    package static func object(_ properties: [Property]) -> JSONSchema {
        .object(properties, isOpen: false)
    }

    /// Creates a schema for an array of any length.
    package static func array(_ element: JSONSchema) -> JSONSchema {
        .array(element, most: nil)
    }

    /// Creates a schema for a string that is limited to a number of characters.
    package static func text(atMost length: Int) -> JSONSchema {
        .string(Text(longest: length))
    }

    /// Creates a schema for a string that must be one of the given values.
    package static func oneOf(_ values: String...) -> JSONSchema {
        .string(Text(values: values))
    }

    /// Creates a schema for a string that must be one of the given values.
    package static func oneOf(_ values: [String]) -> JSONSchema {
        .string(Text(values: values))
    }

    /// Creates a schema for a string that must be the raw value of one of the given cases.
    package static func oneOf<Value: RawRepresentable<String>>(_ values: [Value]) -> JSONSchema {
        .string(Text(values: values.map(\.rawValue)))
    }

    /// Creates a schema for a string that must match a regular expression.
    package static func matching(_ pattern: String) -> JSONSchema {
        .string(Text(pattern: pattern))
    }

    /// A schema that also accepts `null`.
    package var orNull: JSONSchema { .either([self, .null]) }
}
