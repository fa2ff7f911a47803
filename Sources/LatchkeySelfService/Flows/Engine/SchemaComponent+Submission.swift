import LatchkeyServerKit
import LatchkeyWire

extension SchemaComponent {
    /// Returns the OpenAPI schema for submissions to a kind of flow.
    ///
    /// The object allows additional members, because clients may submit dotted members (``DottedFields``) and
    /// members that the server ignores, such as `csrf_token`.
    static func submission(_ flow: DocumentedFlow) -> SchemaComponent {
        SchemaComponent(
            flow.name + "Submission",
            "The values that can be submitted to a \(flow.kind.rawValue) flow. The flow's nodes show which values it expects.",
            .object(members(flow), isOpen: true)
        )
    }

    /// Returns the members that the flow's methods accept.
    private static func members(_ flow: DocumentedFlow) -> [JSONSchema.Property] {
        let hasTraits = flow.kind == .registration || flow.kind == .settings
        return [.required("method", .oneOf(flow.methods))]
            + (hasTraits ? [.optional("traits", .anyObject)] : [])
            + flow.fields.map { .optional($0, .text) }
    }
}
