package import LatchkeyAccounts
package import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The parameters that a flow is begun with, which its replacements inherit.
///
/// The properties are those of ``Flow``.
package struct FlowParameters: Sendable {
    /// The id of the named identity schema, or of the default one.
    package var schemaID: String
    /// The URL of the request, which ``Flow`` cuts to ``FlowBounds/requestURL`` bytes.
    package var requestURL: String
    /// The URL to send the user to, already checked against the allow-list; `nil` for the default.
    package var returnTo: String?
    /// Whether the login is a re-authentication; `false` in all other kinds.
    package var refresh = false
    /// The requested assurance level; `aal1` in all kinds but logins.
    package var requestedAAL = AssuranceLevel.aal1
    /// The identity to which the flow belongs; `nil` if it is not bound to an account.
    package var identityID: Identifier?

    /// Creates parameters; the defaults are those of a request without a query.
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
    /// The id of the default schema, which applies to flows that named none.
    private let schemaID: String
    /// The URL of the self-service API, from which the request URL is reconstructed.
    private let url: String

    /// Creates the parameters of a server; all of its nodes must have the same default schema and URLs.
    init(schemas: SchemaCatalog, urls: ServerURLs) {
        schemaID = schemas.standard.id
        url = urls.selfService
    }

    /// Returns the parameters of a flow that named an identity schema, or none if it is `nil`.
    ///
    /// The URL of the request is reconstructed with `identity_schema` as its only item, whatever other items
    /// the request had.
    subscript(kind: FlowKind, schema: String?) -> FlowParameters {
        let query = schema.map { "?identity_schema=" + QueryItems.encode($0) } ?? ""
        return FlowParameters(schemaID: schema ?? schemaID, requestURL: url + kind.initPath + query)
    }

    /// Returns whether an identity schema is the default one.
    func isStandard(_ schema: String) -> Bool { schema == schemaID }
}
