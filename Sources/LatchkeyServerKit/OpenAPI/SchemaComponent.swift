/// A schema with a name.
///
/// A document defines each component once and refers to it by name.
package struct SchemaComponent: Sendable {
    /// The name, which must be unique within a document.
    package let name: String
    /// A one-sentence description of the schema.
    package let summary: String
    /// The schema, which may refer back to this component.
    package let schema: JSONSchema

    /// Creates a component.
    ///
    /// The component is left out of OpenAPI documents in which no operation refers to it.
    package init(_ name: String, _ summary: String, _ schema: JSONSchema) {
        self.name = name
        self.summary = summary
        self.schema = schema
    }
}

extension JSONSchema {
    /// Collects all components that the schema uses, including those that are used by other components.
    ///
    /// - Parameter components: The components found so far, keyed by name. Components that are already in the
    ///   dictionary aren't visited again, so recursive schemas are fine.
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
