package import LatchkeyAccounts
package import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The parameters that a flow is begun with.
///
/// The properties are those of ``Flow``.
package struct FlowParameters: Sendable {
    package var schemaID: String
    package var requestURL: String
    package var returnTo: String?
    package var refresh = false
    package var requestedAAL = AssuranceLevel.aal1
    package var identityID: Identifier?

    package init(
        schemaID: String,
        requestURL: String,
        returnTo: String? = nil,
        refresh: Bool = false,
        requestedAAL: AssuranceLevel = .aal1,
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

/// The parameters of flows that were begun with none, or with only an identity schema.
///
/// They are derived from the id of a flow (``FlowIdentifier``) and need not be stored.
struct PlainParameters: Sendable {
    private let schemaID: String
    private let url: String

    init(schemas: SchemaCatalog, urls: ServerURLs) {
        schemaID = schemas.standard.id
        url = urls.selfService
    }

    /// Returns the parameters of a flow that named an identity schema, or none if it is `nil`.
    subscript(kind: FlowKind, schema: String?) -> FlowParameters {
        let query = schema.map { "?identity_schema=" + QueryItems.encode($0) } ?? ""
        return FlowParameters(schemaID: schema ?? schemaID, requestURL: url + kind.initPath + query)
    }

    /// Returns whether an identity schema is the default one.
    func isStandard(_ schema: String) -> Bool { schema == schemaID }
}
