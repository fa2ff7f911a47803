/// A schema for the JSON in requests and responses: the subset of JSON Schema 2020-12 that the messages need.
package indirect enum JSONSchema: Sendable {
    /// A member of an object.
    package struct Property: Sendable {
        package let name: String
        package let schema: JSONSchema
        package let isRequired: Bool

        package static func required(_ name: String, _ schema: JSONSchema) -> Property {
            Property(name: name, schema: schema, isRequired: true)
        }

        package static func optional(_ name: String, _ schema: JSONSchema) -> Property {
            Property(name: name, schema: schema, isRequired: false)
        }

        package static func required(_ key: some CodingKey, _ schema: JSONSchema) -> Property {
            .required(key.stringValue, schema)
        }

        package static func optional(_ key: some CodingKey, _ schema: JSONSchema) -> Property {
            .optional(key.stringValue, schema)
        }
    }

    /// The constraints on a string, where `nil` or an empty list means that there is none.
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

    /// An object with known members, and with others if it is open, which the published document doesn't show.
    case object([Property], isOpen: Bool)

    /// A value that matches at least one of several schemas (`anyOf`).
    case either([JSONSchema])

    /// A reference to a named schema.
    case component(SchemaComponent)
}

extension JSONSchema {
    package static let text = JSONSchema.string(Text())
    package static let integer = JSONSchema.integer(minimum: nil, maximum: nil)
    /// A UUID in text form (RFC 9562, section 4).
    package static let uuid = JSONSchema.string(Text(format: "uuid"))
    /// A date and time in RFC 3339 format (`date-time`).
    package static let time = JSONSchema.string(Text(format: "date-time"))
    /// An ISO 3166-1 alpha-2 code.
    package static let countryCode = JSONSchema.matching("^[A-Z]{2}$")
    /// An ISO 4217 code.
    package static let currencyCode = JSONSchema.matching("^[A-Z]{3}$")
    /// An object that can have any members.
    package static let anyObject = JSONSchema.object([], isOpen: true)

    /// Creates a schema for an object that only has the given members.
    package static func object(_ properties: [Property]) -> JSONSchema {
        .object(properties, isOpen: false)
    }

    /// Creates a reference to a named schema of an object that only has the given members.
    package static func component(
        _ name: String,
        summary: String,
        members: [Property]
    ) -> JSONSchema {
        .component(SchemaComponent(name, summary, .object(members)))
    }

    package static func array(_ element: JSONSchema) -> JSONSchema {
        .array(element, most: nil)
    }

    package static func text(atMost length: Int) -> JSONSchema {
        .string(Text(longest: length))
    }

    package static func oneOf(_ values: String...) -> JSONSchema {
        .string(Text(values: values))
    }

    package static func oneOf(_ values: [String]) -> JSONSchema {
        .string(Text(values: values))
    }

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
