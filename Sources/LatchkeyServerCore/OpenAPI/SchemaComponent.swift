/// A schema with a name, written once in the document and referred to from wherever it occurs.
package struct SchemaComponent: Sendable {
    package let name: String
    package let summary: String
    package let schema: JSONSchema

    package init(_ name: String, _ summary: String, _ schema: JSONSchema) {
        self.name = name
        self.summary = summary
        self.schema = schema
    }
}

extension JSONSchema {
    /// The components that occur in it, those within other components too.
    func collect(into components: inout [String: SchemaComponent]) {
        switch self {
        case .any, .null, .boolean, .integer, .string: break
        case .array(let element, _): element.collect(into: &components)
        case .object(let properties, _):
            for property in properties { property.schema.collect(into: &components) }
        case .either(let schemas): for schema in schemas { schema.collect(into: &components) }
        case .component(let component):
            guard components.updateValue(component, forKey: component.name) == nil else { return }
            component.schema.collect(into: &components)
        }
    }
}
