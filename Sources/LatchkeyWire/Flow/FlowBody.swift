/// The JSON representation of a self-service flow, in the format of Ory Kratos.
///
/// A single type for login and registration; members that a kind of flow does not have are `nil`. Times are
/// in RFC 3339, IDs are UUIDs.
package struct FlowBody: Sendable, Codable {
    /// The form of a flow.
    package struct UI: Sendable, Codable {
        /// The URL to submit the form to.
        package var action: String
        package var method: String
        package var nodes: [UINode]
        /// Messages about the form as a whole; `nil` if there are none.
        package var messages: [UIMessage]?

        package init(action: String, method: String = "POST", nodes: [UINode], messages: [UIMessage]? = nil) {
            self.action = action
            self.method = method
            self.nodes = nodes
            self.messages = messages
        }
    }

    package var id: String
    /// `api` or `browser`.
    package var type: String
    package var expiresAt: String
    package var issuedAt: String
    package var requestURL: String
    /// The URL to continue at after the flow, from the request that created it.
    package var returnTo: String?
    /// The method that was last submitted, such as `password` or `code`.
    package var active: String?
    package var ui: UI
    /// The progress: `choose_method`, `sent_email` or `passed_challenge`.
    package var state: String
    package var identitySchema: String?
    package var createdAt: String?
    package var updatedAt: String?
    /// Whether a login is a re-authentication of an existing session.
    package var refresh: Bool?
    /// The requested assurance level, such as `aal1`.
    package var requestedAAL: String?

    private enum CodingKeys: String, CodingKey {
        case id, type, active, ui, state, refresh
        case expiresAt = "expires_at"
        case issuedAt = "issued_at"
        case requestURL = "request_url"
        case returnTo = "return_to"
        case identitySchema = "identity_schema"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
        case requestedAAL = "requested_aal"
    }
}
