package import LatchkeyAccounts
import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// The query parameters of a request that begins a flow (`contract/kratos.md`, 1.7).
package struct FlowRequest: Sendable {
    /// The values of `refresh` that count as true, as in Go's `strconv.ParseBool`; any other value counts as
    /// false.
    private static let truths: Set<String> = ["1", "t", "T", "true", "TRUE", "True"]

    /// The identity schema that the query names, if any.
    package let schema: IdentitySchema?

    /// The URL to which the user is sent after the flow, checked against the allow-list; `nil` for the
    /// default.
    package let returnTo: String?

    /// Whether the request asks for a re-authentication; always `false` except in logins.
    package private(set) var refresh: Bool

    /// The requested assurance level; always `aal1` except in logins.
    package let aal: AssuranceLevel

    /// Whether the request has no parameter other than an identity schema, so the flow needs no row.
    ///
    /// Such a flow is restored from its id (``FlowIdentifier``).
    package var isPlain: Bool {
        returnTo == nil && !refresh && aal == .aal1
    }

    /// A copy of the request that does not ask for a re-authentication, for a caller without a session.
    package var withoutRefresh: FlowRequest {
        var request = self
        request.refresh = false
        return request
    }

    /// Reads and validates the query of a request; unknown items are ignored.
    ///
    /// Empty values count as missing. `refresh` and `aal` are read only in logins.
    ///
    /// - Throws: 400 for an unknown schema, a `return_to` that is not allowed, or an unknown `aal`.
    package init(
        _ context: RequestContext,
        kind: FlowKind,
        schemas: SchemaCatalog,
        returnURLs: ReturnURLs
    ) throws(ServerError) {
        let query = context.query
        if let name = query["identity_schema"], !name.isEmpty {
            guard let schema = schemas[name] else {
                throw .malformed("identity_schema does not name an identity schema of this server.")
            }
            self.schema = schema
        } else {
            schema = nil
        }
        if let address = query["return_to"], !address.isEmpty {
            guard returnURLs.contains(address) else {
                throw ServerError(
                    400,
                    id: .returnToForbidden,
                    reason: "return_to is not an allowed return URL."
                )
            }
            returnTo = address
        } else {
            returnTo = nil
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
