/// A self-service flow as it goes over the wire (`contract/kratos.md`, 1.2).
///
/// One type for login and registration; members that a kind of flow does not have stay absent.
package struct FlowBody: Sendable, Codable {
    package struct UI: Sendable, Codable {
        package var action: String
        package var method: String
        package var nodes: [UINode]
        package var messages: [UIMessage]?

        package init(action: String, method: String = "POST", nodes: [UINode], messages: [UIMessage]? = nil) {
            self.action = action
            self.method = method
            self.nodes = nodes
            self.messages = messages
        }
    }

    package var id: String
    package var type: String
    package var expiresAt: String
    package var issuedAt: String
    package var requestURL: String
    package var returnTo: String?
    package var active: String?
    package var ui: UI
    package var state: String
    package var identitySchema: String?
    package var createdAt: String?
    package var updatedAt: String?
    package var refresh: Bool?
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
