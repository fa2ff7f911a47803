import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The query parameters of a request that starts a flow (`contract/kratos.md`, 1.7).
struct FlowRequest: Sendable {
    /// The values of `refresh` that mean true, as in Go's `strconv.ParseBool`.
    ///
    /// All other values mean false.
    private static let truths: Set<String> = ["1", "t", "T", "true", "TRUE", "True"]

    private static let linkParameters = ["redirect_uri", "code_challenge"]

    /// The type of client.
    let type: FlowType

    /// The identity schema that the query names, if any.
    let schema: IdentitySchema?

    /// Where to send the user after the flow, or `nil` to use the default URL.
    ///
    /// The URL has already been checked against the allowed URLs.
    let returnTo: String?

    /// The authorization request that the flow belongs to, or `nil` if there is none.
    ///
    /// ``FlowLifecycle`` looks it up.
    var authorization: PendingAuthorization?

    /// Whether the request asks for a re-authentication, which is only possible for logins.
    private(set) var refresh: Bool

    /// The requested assurance level, which is always `aal1` except for logins.
    let aal: AssuranceLevel

    /// The client that the app names, whose existence the caller must check.
    ///
    /// Browsers can't name a client, and only flows that can open a session have one.
    let clientID: String?

    /// The URI of an authorization request that the app's client has pushed, or `nil` if there is none.
    ///
    /// Only flows of apps that open a session have one. ``FlowLifecycle`` opens the request.
    let requestURI: String?

    /// Whether the app asks for a mailed link that leads back to it, with the parameters of an authorization
    /// request.
    ///
    /// ``FlowLifecycle`` stores the request.
    let asksForLink: Bool

    /// Whether the request has no parameters other than an identity schema.
    ///
    /// If this is `true`, the flow doesn't have to be stored, because it can be restored from its id
    /// (``FlowIdentifier``).
    var isPlain: Bool {
        returnTo == nil && authorization == nil && !refresh && aal == .aal1 && clientID == nil
    }

    /// A copy of the request that doesn't ask for a re-authentication, for callers without a session.
    var withoutRefresh: FlowRequest {
        var request = self
        request.refresh = false
        return request
    }

    /// Parses and validates the query of a request.
    ///
    /// Unknown query items are ignored.
    ///
    /// Empty values are treated as missing. `refresh` and `aal` are only read for logins.
    ///
    /// - Throws: A ``ServerError`` with status 400 if the schema or `aal` is unknown, if `return_to` is not
    ///   allowed, or if `request_uri` is given without `client_id` or for another kind of flow.
    init(
        _ context: RequestContext,
        kind: FlowKind,
        type: FlowType,
        schemas: SchemaCatalog,
        returnURLs: ReturnURLs
    ) throws(ServerError) {
        self.type = type
        let query = context.query
        if let name = query["identity_schema"], !name.isEmpty {
            guard let schema = schemas[name] else {
                throw .malformed("identity_schema is not the name of an identity schema on this server.")
            }
            self.schema = schema
        } else {
            schema = nil
        }
        if let address = query["return_to"], !address.isEmpty {
            guard let url = returnURLs.normalized(address) else { throw .returnToForbidden }
            returnTo = url
        } else {
            returnTo = nil
        }
        let opensSession = kind == .login || kind == .registration || kind == .recovery
        clientID = type == .api && opensSession ? query["client_id"].flatMap { $0.isEmpty ? nil : $0 } : nil
        let requestURI = type == .api ? query["request_uri"].flatMap { $0.isEmpty ? nil : $0 } : nil
        guard requestURI == nil || clientID != nil else {
            throw .malformed(
                "The query parameter request_uri needs client_id, and a flow that opens a session."
            )
        }
        self.requestURI = requestURI
        asksForLink = type == .api && Self.linkParameters.contains { query[$0]?.isEmpty == false }
        guard !asksForLink || (clientID != nil && requestURI == nil && kind != .recovery) else {
            throw .malformed(
                "The query parameters redirect_uri and code_challenge need client_id, and a login or registration without request_uri."
            )
        }
        refresh = kind == .login && Self.truths.contains(query["refresh"] ?? "")
        let aal = query["aal"] ?? ""
        guard kind == .login, !aal.isEmpty else {
            self.aal = .aal1
            return
        }
        guard let level = AssuranceLevel(rawValue: aal) else {
            throw .malformed("The query parameter aal must be aal1 or aal2.")
        }
        self.aal = level
    }
}
