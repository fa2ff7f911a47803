package import LatchkeyModel
import LatchkeyWire

/// What a flow is begun with.
package struct FlowParameters: Sendable {
    package var schemaID: String
    package var requestURL: String
    package var returnTo: String?
    package var refresh = false
    package var requestedAAL = "aal1"
    package var identityID: Identifier?

    package init(
        schemaID: String,
        requestURL: String,
        returnTo: String? = nil,
        refresh: Bool = false,
        requestedAAL: String = "aal1",
        identityID: Identifier? = nil
    ) {
        self.schemaID = schemaID
        self.requestURL = requestURL
        self.returnTo = returnTo
        self.refresh = refresh
        self.requestedAAL = requestedAAL
        self.identityID = identityID
    }
}

/// What flows have that were begun without parameters, or with an identity schema alone.
struct PlainParameters: Sendable {
    private let schemaID: String
    private let url: String

    init(_ context: ServerContext) {
        schemaID = context.schemas.standard.id
        url = context.settings.selfServiceURL
    }

    /// What a flow has that names a schema, or none.
    subscript(kind: FlowKind, schema: String?) -> FlowParameters {
        let query = schema.map { "?identity_schema=" + QueryItems.encode($0) } ?? ""
        return FlowParameters(schemaID: schema ?? schemaID, requestURL: url + kind.initPath + query)
    }

    func isStandard(_ schema: String) -> Bool { schema == schemaID }
}
