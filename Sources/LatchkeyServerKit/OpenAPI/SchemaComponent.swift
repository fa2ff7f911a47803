/// A named schema, which the document defines once and refers to by name.
package struct SchemaComponent: Sendable {
    /// The name, unique among the components of a document.
    package let name: String
    /// A description of the schema in one sentence.
    package let summary: String
    /// The schema, which may refer to the component itself.
    package let schema: JSONSchema

    /// Creates a component, which a document includes if one of the operations refers to it.
    package init(_ name: String, _ summary: String, _ schema: JSONSchema) {
        self.name = name
        self.summary = summary
        self.schema = schema
    }
}

extension JSONSchema {
    /// Collects the components that occur in the schema, including those within other components.
    ///
    /// - Parameter components: The components, keyed by name. A component that is already present is not
    ///   visited again, so recursive schemas terminate.
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
