/// A schema for JSON in requests and responses.
///
/// It covers the subset of JSON Schema 2020-12 that the server needs for OpenAPI 3.1.
package indirect enum JSONSchema: Sendable {
    /// A member of an object, which may also have members that are not listed.
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

    /// The constraints of a string; `nil` or an empty list means no constraint.
    package struct Text: Sendable {
        /// The `format` of JSON Schema, such as `uuid` or `date-time`.
        package var format: String?
        /// The regular expression (ECMA-262) that the text must match.
        package var pattern: String?
        /// The permitted values (`enum`).
        package var values: [String] = []
        /// The maximum length in characters (`maxLength`).
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
    /// `isOpen` marks objects with further members that are not known in advance. In all other objects, the
    /// contract tests reject undocumented members. The published document does not distinguish between the
    /// two kinds of objects.
    case object([Property], isOpen: Bool)

    /// Any one of several schemas (`anyOf`), distinguished by the content of the value.
    case either([JSONSchema])

    /// A reference to a named schema.
    case component(SchemaComponent)
}

extension JSONSchema {
    /// A string with any content.
    package static let text = JSONSchema.string(Text())
    /// An integer without bounds.
    package static let integer = JSONSchema.integer(minimum: nil, maximum: nil)
    /// A UUID in its text form (RFC 9562, section 4).
    package static let uuid = JSONSchema.string(Text(format: "uuid"))
    /// A date and time in the format of RFC 3339 (`date-time`).
    package static let time = JSONSchema.string(Text(format: "date-time"))
    /// An object with any members.
    package static let anyObject = JSONSchema.object([], isOpen: true)

    /// Creates an object whose members are all listed.
    package static func object(_ properties: [Property]) -> JSONSchema {
        .object(properties, isOpen: false)
    }

    /// Creates an array of any length.
    package static func array(_ element: JSONSchema) -> JSONSchema {
        .array(element, most: nil)
    }

    /// Creates a string with a maximum length in characters.
    package static func text(atMost length: Int) -> JSONSchema {
        .string(Text(longest: length))
    }

    /// Creates a string that must be one of the given values.
    package static func oneOf(_ values: String...) -> JSONSchema {
        .string(Text(values: values))
    }

    /// Creates a string that must be one of the given values.
    package static func oneOf(_ values: [String]) -> JSONSchema {
        .string(Text(values: values))
    }

    /// Creates a string that must be the raw value of one of the given cases.
    package static func oneOf<Value: RawRepresentable<String>>(_ values: [Value]) -> JSONSchema {
        .string(Text(values: values.map(\.rawValue)))
    }

    /// Creates a string that matches a regular expression.
    package static func matching(_ pattern: String) -> JSONSchema {
        .string(Text(pattern: pattern))
    }

    /// A schema that accepts the same values and `null`.
    package var orNull: JSONSchema { .either([self, .null]) }
}
