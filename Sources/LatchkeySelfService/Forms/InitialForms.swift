package import LatchkeyAccounts
import LatchkeyCourier

/// The initial forms of flows, rendered once for each kind, schema and language.
///
/// The rendered bytes become part of the response for a flow without a stored form.
package struct InitialForms: Sendable {
    /// The properties on which an initial form depends.
    private struct Key: Hashable {
        let kind: FlowKind
        let schema: String
        let language: Language
    }

    /// The members `nodes` and `messages` of each form, as ``FlowWriter/render(_:in:)`` returns them.
    private let forms: [Key: [UInt8]]

    /// Renders the forms for all kinds, schemas and languages; called once when the server starts.
    package init(of schemas: SchemaCatalog, settings: FormSettings, in texts: FormTranslations) {
        var forms: [Key: [UInt8]] = [:]
        for schema in schemas.all {
            for kind in FlowKind.allCases {
                let nodes = FormNodes.nodes(
                    for: FormNodes.Occasion(kind),
                    schema: schema,
                    settings: settings,
                    form: Form()
                )
                for language in Language.allCases {
                    let key = Key(kind: kind, schema: schema.id, language: language)
                    forms[key] = FlowWriter.render(nodes, messages: [], in: texts[language])
                }
            }
        }
        self.forms = forms
    }

    /// Returns the members `nodes` and `messages` of a flow's initial form; `nil` if its schema was removed.
    ///
    /// The flow's state is ignored, so the function must be called only for a flow without a stored form.
    func form(of flow: Flow) -> [UInt8]? {
        forms[Key(kind: flow.kind, schema: flow.schemaID, language: flow.language)]
    }
}
