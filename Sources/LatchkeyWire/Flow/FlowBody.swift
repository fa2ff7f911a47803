/// A self-service flow in JSON, in the same format as in Ory Kratos.
///
/// This type is used for all kinds of flows. Members that don't exist for a kind of flow are `nil`. Times are
/// in RFC 3339 format, and IDs are UUIDs.
package struct FlowBody: AnswerBody, Codable {
    /// The form that the user fills in to complete a flow.
    package struct UI: Sendable, Codable {
        /// The URL that the form is submitted to.
        package var action: String
        /// The HTTP method that is used to submit the form.
        ///
        /// This server always uses `POST`.
        package var method: String
        /// The form's fields and buttons, in display order.
        package var nodes: [UINode]
        /// Messages that apply to the whole form, or `nil` if there are none.
        package var messages: [UIMessage]?

        /// Creates a form.
        ///
        /// If `messages` is `nil`, it is left out of the JSON.
        package init(action: String, method: String = "POST", nodes: [UINode], messages: [UIMessage]? = nil) {
            self.action = action
            self.method = method
            self.nodes = nodes
            self.messages = messages
        }
    }

    /// The flow ID.
    ///
    /// The client sends the ID as the `flow` parameter when submitting the form.
    package var id: String
    /// The type of client that the flow is for, either `api` or `browser`.
    package var type: String
    /// When the flow expires.
    package var expiresAt: String
    /// When the flow was created.
    package var issuedAt: String
    /// The URL that was requested to create the flow.
    package var requestURL: String
    /// The URL to return to after the flow, as specified when the flow was created.
    package var returnTo: String?
    /// The method that was submitted most recently, such as `password` or `code`.
    package var active: String?
    /// The form to display, including messages about the most recent submission.
    package var ui: UI
    /// The progress of the flow, which is one of `choose_method`, `sent_email` and `passed_challenge`.
    package var state: String
    /// The ID of the identity schema.
    package var identitySchema: String?
    /// When the flow was stored.
    package var createdAt: String?
    /// When the flow was last changed, for example by submitting its form.
    package var updatedAt: String?
    /// Whether the user is asked to authenticate again although they are already logged in.
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
