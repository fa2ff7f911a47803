import LatchkeyWire

extension JSONWriter {
    /// Writes a schema.
    ///
    /// The description is optional.
    mutating func schema(_ schema: JSONSchema, summary: String? = nil) {
        object { writer in
            if let summary {
                writer.name("description")
                writer.string(summary)
            }
            writer.keywords(of: schema)
        }
    }

    private mutating func keywords(of schema: JSONSchema) {
        switch schema {
        case .any: break
        case .null: type("null")
        case .boolean: type("boolean")
        case .integer(let minimum, let maximum):
            type("integer")
            bound("minimum", minimum)
            bound("maximum", maximum)
        case .string(let text): keywords(of: text)
        case .array(let element, let most):
            type("array")
            name("items")
            self.schema(element)
            bound("maxItems", most.map { Int64($0) })
        case .object(let properties, _): keywords(of: properties)
        case .either(let schemas):
            name("anyOf")
            array { writer in for schema in schemas { writer.schema(schema) } }
        case .component(let component):
            name("$ref")
            string("#/components/schemas/" + component.name)
        }
    }

    private mutating func keywords(of text: JSONSchema.Text) {
        type("string")
        if let format = text.format {
            name("format")
            string(format)
        }
        if let pattern = text.pattern {
            name("pattern")
            string(pattern)
        }
        if !text.values.isEmpty {
            name("enum")
            array { writer in for value in text.values { writer.string(value) } }
        }
        bound("maxLength", text.longest.map { Int64($0) })
    }

    private mutating func keywords(of properties: [JSONSchema.Property]) {
        type("object")
        let required = properties.filter(\.isRequired)
        if !required.isEmpty {
            name("required")
            array { writer in for property in required { writer.string(property.name) } }
        }
        guard !properties.isEmpty else { return }
        name("properties")
        object { writer in
            for property in properties {
                writer.name(escaping: property.name)
                writer.schema(property.schema)
            }
        }
    }

    private mutating func type(_ type: String) {
        name("type")
        string(type)
    }

    private mutating func bound(_ keyword: StaticString, _ number: Int64?) {
        guard let number else { return }
        name(keyword)
        integer(number)
    }
}
