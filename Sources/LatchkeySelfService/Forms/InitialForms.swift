import LatchkeyAccounts
import LatchkeyCourier

/// The initial forms of flows, rendered once per kind, schema and language.
///
/// The response for a flow that has no stored form contains these rendered bytes.
struct InitialForms: Sendable {
    /// The properties that an initial form depends on.
    private struct Key: Hashable {
        let kind: FlowKind
        let schema: String
        let language: Language
    }

    /// The `nodes` and `messages` members of each form, as returned by ``FlowWriter/render(_:in:)``.
    private let forms: [Key: [UInt8]]

    /// Renders the forms for all kinds, schemas and languages once, when the server starts.
    init(of schemas: SchemaCatalog, by methods: MethodForms, in texts: FormTranslations) {
        var forms: [Key: [UInt8]] = [:]
        for schema in schemas.all {
            for kind in FlowKind.allCases {
                let nodes = methods.nodes(in: FormContext(kind, schema: schema))
                for language in Language.allCases {
                    let key = Key(kind: kind, schema: schema.id, language: language)
                    forms[key] = FlowWriter.render(nodes, messages: [], in: texts[language])
                }
            }
        }
        self.forms = forms
    }

    /// Returns the `nodes` and `messages` members of a flow's initial form, or `nil` if its schema was
    /// removed.
    ///
    /// Only call this for a flow without a stored form, because the flow's state is ignored.
    func form(of flow: Flow) -> [UInt8]? {
        forms[Key(kind: flow.kind, schema: flow.schemaID, language: flow.language)]
    }
}
