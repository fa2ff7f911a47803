import LatchkeyWire

/// The part of the OpenAPI document about a kind of flow.
struct DocumentedFlow: Sendable {
    let kind: FlowKind
    /// The types of clients that can start the flow.
    let types: [FlowType]
    /// The names of the methods that the flow may offer, in the order of their forms.
    let methods: [String]
    /// The names of the fields that these methods read, other than `method` and the traits.
    let fields: [String]

    init(_ kind: FlowKind, forms: MethodForms, types: [FlowType]) {
        self.kind = kind
        self.types = types
        let all = forms.all(in: kind)
        methods = all.map(\.name)
        fields = all.flatMap(\.fields).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The name of the flow in upper camel case, for operation ids and schemas.
    var name: String { kind.rawValue.prefix(1).uppercased() + kind.rawValue.dropFirst() }
}
