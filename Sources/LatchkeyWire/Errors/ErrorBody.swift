/// The body of an error response, in the same format as in Ory Kratos.
package struct ErrorBody: Sendable, Codable {
    /// Describes what went wrong.
    package struct Detail: Sendable, Codable {
        /// A stable error identifier.
        ///
        /// `nil` for errors that clients don't need to distinguish.
        package var id: ErrorID?
        /// The HTTP status code.
        package var code: Int?
        /// The HTTP reason phrase, such as `Not Found`.
        package var status: String?
        /// The request ID, which can be used to find the request in the server's log.
        package var request: String?
        /// The cause of the error, for developers.
        package var reason: String?
        /// The error message, for developers.
        ///
        /// Clients show their own messages, which they select by ``id``.
        package var message: String

        /// Creates an error.
        ///
        /// Members that are `nil` are left out of the JSON.
        package init(
            id: ErrorID? = nil,
            code: Int? = nil,
            status: String? = nil,
            request: String? = nil,
            reason: String? = nil,
            message: String
        ) {
            self.id = id
            self.code = code
            self.status = status
            self.request = request
            self.reason = reason
            self.message = message
        }
    }

    /// Describes what went wrong.
    ///
    /// This is the only member that every error response contains.
    package var error: Detail
    /// The ID of the flow that replaces this flow, or `nil` if this flow wasn't replaced.
    ///
    /// The client should continue with the replacement instead of creating a new flow.
    package var useFlowID: String?
    /// When the old flow expired, in RFC 3339 format.
    package var expiredAt: String?
    /// How long ago the old flow expired, in nanoseconds.
    package var since: Int64?

    /// Creates an error response.
    ///
    /// The last three parameters are only used if a flow has expired or been replaced.
    package init(error: Detail, useFlowID: String? = nil, expiredAt: String? = nil, since: Int64? = nil) {
        self.error = error
        self.useFlowID = useFlowID
        self.expiredAt = expiredAt
        self.since = since
    }

    private enum CodingKeys: String, CodingKey {
        case error, since
        case useFlowID = "use_flow_id"
        case expiredAt = "expired_at"
    }
}
