package import LatchkeyAccounts
package import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The parameters that a flow is started with.
///
/// A replacement flow is started with the same parameters as the original.
///
/// The properties correspond to those of ``Flow``.
package struct FlowParameters: Sendable {
    /// The type of client.
    package var type: FlowType
    /// The id of the identity schema that the request named, or the id of the default schema.
    package var schemaID: String
    /// The URL of the request.
    ///
    /// ``Flow`` truncates the URL to ``FlowBounds/requestURL`` bytes.
    package var requestURL: String
    /// Where to send the user after the flow, or `nil` to use the default URL.
    ///
    /// The URL has already been checked against the allowed URLs.
    package var returnTo: String?
    /// The id of the authorization request that the flow belongs to, or `nil` if there is none.
    package var loginChallenge: Identifier?
    /// Whether the login is a re-authentication.
    ///
    /// For other kinds of flow, this is always `false`.
    package var refresh = false
    /// The requested assurance level, which is always `aal1` except for logins.
    package var requestedAAL = AssuranceLevel.aal1
    /// The identity that the flow belongs to, or `nil` if it isn't bound to an account.
    package var identityID: Identifier?
    /// The registered client that the app has named, or `nil` if it has named none.
    package var clientID: String?

    /// Creates parameters.
    ///
    /// The defaults are for a request without a query.
    package init(
        type: FlowType = .api,
        schemaID: String,
        requestURL: String,
        returnTo: String? = nil,
        loginChallenge: Identifier? = nil,
        refresh: Bool = false,
        requestedAAL: AssuranceLevel = .aal1,
        identityID: Identifier? = nil,
        clientID: String? = nil
    ) {
        self.type = type
        self.schemaID = schemaID
        self.requestURL = requestURL
        self.returnTo = returnTo
        self.loginChallenge = loginChallenge
        self.refresh = refresh
        self.requestedAAL = requestedAAL
        self.identityID = identityID
        self.clientID = clientID
    }
}

/// The parameters of flows whose request had no query or only named an identity schema.
///
/// Such flows don't need to be stored, because their parameters can be derived from the flow's id
/// (``FlowIdentifier``).
struct PlainParameters: Sendable {
    /// The id of the default schema, which is used if the request doesn't name one.
    private let schemaID: String
    /// The URL of the self-service API, used to reconstruct request URLs.
    private let url: String

    /// Creates the parameters from the server's default schema and URLs.
    ///
    /// All nodes must have the same default schema and URLs.
    init(schemas: SchemaCatalog, urls: ServerURLs) {
        schemaID = schemas.standard.id
        url = urls.selfService
    }

    /// Returns the parameters of a flow.
    ///
    /// Pass the identity schema that the flow's request named, or `nil` if the request didn't name one.
    ///
    /// The reconstructed request URL has `identity_schema` as its only query item, even if the original URL
    /// had others.
    subscript(kind: FlowKind, type: FlowType, schema: String?) -> FlowParameters {
        let query = schema.map { "?identity_schema=" + QueryItems.encode($0) } ?? ""
        return FlowParameters(
            type: type,
            schemaID: schema ?? schemaID,
            requestURL: url + kind.startPath(for: type) + query
        )
    }

    /// Returns whether an identity schema is the default one.
    func isStandard(_ schema: String) -> Bool { schema == schemaID }
}
