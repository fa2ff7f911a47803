/// The JSON representation of a self-service flow, in the format of Ory Kratos.
///
/// All kinds of flow share this type; members that a kind of flow does not have are `nil`. Times are in RFC
/// 3339, and IDs are UUIDs.
package struct FlowBody: Sendable, Codable {
    /// The form of a flow.
    package struct UI: Sendable, Codable {
        /// The URL to submit the form to.
        package var action: String
        /// The HTTP method of the submission; always `POST` in this server's forms.
        package var method: String
        /// The fields and buttons in the order of display.
        package var nodes: [UINode]
        /// Messages about the form as a whole; `nil` if there are none.
        package var messages: [UIMessage]?

        /// Creates a form; `nil` messages are omitted from the JSON.
        package init(action: String, method: String = "POST", nodes: [UINode], messages: [UIMessage]? = nil) {
            self.action = action
            self.method = method
            self.nodes = nodes
            self.messages = messages
        }
    }

    /// The id of the flow, which the client sends as the `flow` parameter of its submissions.
    package var id: String
    /// `api` or `browser`.
    package var type: String
    /// The time from which submissions are rejected.
    package var expiresAt: String
    /// The time at which the flow was created.
    package var issuedAt: String
    /// The URL of the request that created the flow.
    package var requestURL: String
    /// The URL to continue at after the flow, as given in the request that created the flow.
    package var returnTo: String?
    /// The method that was last submitted, such as `password` or `code`.
    package var active: String?
    /// The form to render, with the messages about the last submission.
    package var ui: UI
    /// The progress of the flow: `choose_method`, `sent_email` or `passed_challenge`.
    package var state: String
    /// The id of the identity schema.
    package var identitySchema: String?
    /// The time at which the flow was stored.
    package var createdAt: String?
    /// The time at which the flow was last changed, for example by a submission.
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
