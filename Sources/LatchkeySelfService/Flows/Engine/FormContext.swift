package import LatchkeyAccounts
import LatchkeyModel
package import LatchkeyServerKit

/// The inputs that determine the fields of a form, and how a submission is read.
package struct FormContext: Sendable {
    package let flow: Flow
    /// The identity schema, whose traits become form fields.
    package let schema: IdentitySchema
    /// The values to show, which are the current traits in a settings flow, and the messages about them.
    package var form: Form
    /// The traits that may be missing even if the schema requires them.
    package var waived: Set<String> = []
    /// The current traits of the account that a settings flow shows.
    package var traits: OrderedJSON?

    package init(_ flow: Flow, schema: IdentitySchema, form: Form = Form()) {
        self.flow = flow
        self.schema = schema
        self.form = form
    }

    /// The context of a new flow, which has no id yet.
    package init(
        _ kind: FlowKind,
        refresh: Bool = false,
        level: AssuranceLevel = .aal1,
        schema: IdentitySchema
    ) {
        let flow = Flow(
            id: .nilUUID,
            kind: kind,
            parameters: FlowParameters(
                schemaID: schema.id,
                requestURL: "",
                refresh: refresh,
                requestedAAL: level
            ),
            issuedAt: Timestamp(microseconds: 0),
            lifespan: .zero
        )
        self.init(flow, schema: schema)
    }
}
