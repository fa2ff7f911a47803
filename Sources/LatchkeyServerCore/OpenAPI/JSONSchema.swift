/// What JSON of a request or an answer looks like (JSON Schema 2020-12, as OpenAPI 3.1 has it).
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
    }

    /// The rules of a string.
    package struct Text: Sendable {
        package var format: String?
        package var pattern: String?
        package var values: [String] = []
        package var longest: Int?
    }

    case any
    case null
    case boolean
    case integer(minimum: Int64?, maximum: Int64?)
    case string(Text)
    case array(JSONSchema, most: Int?)

    /// An object with members that are known; `isOpen` where it also holds others that nobody can know.
    case object([Property], isOpen: Bool)

    /// One of several; which one, its content tells.
    case either([JSONSchema])

    /// A schema with a name of its own.
    case component(SchemaComponent)
}

extension JSONSchema {
    package static let text = JSONSchema.string(Text())
    package static let integer = JSONSchema.integer(minimum: nil, maximum: nil)
    package static let uuid = JSONSchema.string(Text(format: "uuid"))
    package static let time = JSONSchema.string(Text(format: "date-time"))
    package static let anyObject = JSONSchema.object([], isOpen: true)

    package static func object(_ properties: [Property]) -> JSONSchema {
        .object(properties, isOpen: false)
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

    package static func matching(_ pattern: String) -> JSONSchema {
        .string(Text(pattern: pattern))
    }

    /// The same, or `null`.
    package var orNull: JSONSchema { .either([self, .null]) }
}
