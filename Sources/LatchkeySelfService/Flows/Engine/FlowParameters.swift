package import LatchkeyAccounts
package import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The parameters with which a flow begins, and which its replacements inherit.
///
/// The properties correspond to those of ``Flow``.
package struct FlowParameters: Sendable {
    /// The id of the identity schema that the request named, or of the default schema.
    package var schemaID: String
    /// The URL of the request, which ``Flow`` truncates to ``FlowBounds/requestURL`` bytes.
    package var requestURL: String
    /// The URL to which the user is sent after the flow, checked against the allow-list; `nil` for the
    /// default.
    package var returnTo: String?
    /// Whether the login is a re-authentication; always `false` in other kinds of flow.
    package var refresh = false
    /// The requested assurance level; always `aal1` except in logins.
    package var requestedAAL = AssuranceLevel.aal1
    /// The identity to which the flow belongs; `nil` if it is not bound to an account.
    package var identityID: Identifier?

    /// Creates parameters; the defaults are for a request without a query.
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

/// The parameters of flows that were begun without a query or with only an identity schema.
///
/// The parameters are derived from the flow's id (``FlowIdentifier``) and need not be stored.
struct PlainParameters: Sendable {
    /// The id of the default schema, which applies to flows that name no schema.
    private let schemaID: String
    /// The URL of the self-service API, from which the request URL is reconstructed.
    private let url: String

    /// Creates the parameters for a server; all nodes must have the same default schema and URLs.
    init(schemas: SchemaCatalog, urls: ServerURLs) {
        schemaID = schemas.standard.id
        url = urls.selfService
    }

    /// Returns the parameters of a flow whose request named the given identity schema, or `nil` for no
    /// schema.
    ///
    /// The request URL is reconstructed with `identity_schema` as its only query item, even if the original
    /// URL had others.
    subscript(kind: FlowKind, schema: String?) -> FlowParameters {
        let query = schema.map { "?identity_schema=" + QueryItems.encode($0) } ?? ""
        return FlowParameters(schemaID: schema ?? schemaID, requestURL: url + kind.initPath + query)
    }

    /// Returns whether an identity schema is the default one.
    func isStandard(_ schema: String) -> Bool { schema == schemaID }
}
