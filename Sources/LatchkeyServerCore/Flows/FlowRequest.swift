import LatchkeyModel
import LatchkeyWire

/// What the query of a flow's init asks for (`contract/kratos.md`, 1.7).
package struct FlowRequest: Sendable {
    private static let truths: Set<String> = ["1", "t", "T", "true", "TRUE", "True"]

    /// The identity schema asked for by name.
    package let schema: IdentitySchema?

    package let returnTo: String?
    package private(set) var refresh: Bool
    package let aal: String

    /// Whether nothing but an identity schema is asked for: the flow needs no row.
    package var isPlain: Bool {
        returnTo == nil && !refresh && aal == "aal1"
    }

    /// The same for somebody who is not logged in.
    package var withoutRefresh: FlowRequest {
        var request = self
        request.refresh = false
        return request
    }

    /// Reads a query; items that nobody knows are passed over.
    package init(_ exchange: Exchange, _ kind: FlowKind, _ context: ServerContext) throws(ServerError) {
        let query = exchange.query
        if let name = query["identity_schema"], !name.isEmpty {
            guard let schema = context.schemas[name] else {
                throw .malformed("There is no identity schema of the name that identity_schema gives.")
            }
            self.schema = schema
        } else {
            schema = nil
        }
        if let address = query["return_to"], !address.isEmpty {
            guard ReturnURLs(context.settings.allowedReturnURLs).contains(address) else {
                throw ServerError(
                    400,
                    .returnToForbidden,
                    reason: "The address that return_to gives is not one that this server sends people to."
                )
            }
            returnTo = address
        } else {
            returnTo = nil
        }
        refresh = kind == .login && Self.truths.contains(query["refresh"] ?? "")
        let aal = query["aal"] ?? ""
        guard kind == .login, !aal.isEmpty else {
            self.aal = "aal1"
            return
        }
        guard aal == "aal1" || aal == "aal2" else { throw .malformed("aal is aal1 or aal2.") }
        self.aal = aal
    }
}
