import LatchkeyWire

extension JSONSchema {
    /// Collects all components that the schema uses, directly or in another component.
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
