/// The error envelope, in the format of Ory Kratos.
package struct ErrorBody: Sendable, Codable {
    /// The error itself.
    package struct Detail: Sendable, Codable {
        /// The stable error identifier; `nil` for errors that clients do not need to distinguish.
        package var id: ErrorID?
        /// The HTTP status code.
        package var code: Int?
        /// The HTTP reason phrase, such as `Not Found`.
        package var status: String?
        /// The ID of the request, with which it can be found in the server's log.
        package var request: String?
        /// A description of the cause, for developers.
        package var reason: String?
        /// The error message, for developers; clients show their own message, chosen by ``id``.
        package var message: String

        /// Creates the error; members that are `nil` are omitted from the JSON.
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

    /// The error itself, the only member that is present in every error response.
    package var error: Detail
    /// The ID of a new flow that replaces an expired one.
    ///
    /// The client continues with this flow instead of creating one. `nil` unless the flow was replaced.
    package var useFlowID: String?
    /// The expiry of the old flow in RFC 3339.
    package var expiredAt: String?
    /// The time since that expiry, in nanoseconds.
    package var since: Int64?

    /// Creates the envelope; only errors for an expired or replaced flow have the last three members.
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
