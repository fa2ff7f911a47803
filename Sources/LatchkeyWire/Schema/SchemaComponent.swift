/// A schema with a name, which a document defines once and refers to by name.
package struct SchemaComponent: Sendable {
    package let name: String
    /// A one-sentence description of the schema.
    package let summary: String
    /// The schema, which may refer back to this component.
    package let schema: JSONSchema

    /// Creates a component, which documents leave out unless an operation refers to it.
    package init(_ name: String, _ summary: String, _ schema: JSONSchema) {
        self.name = name
        self.summary = summary
        self.schema = schema
    }
}
