/// The error envelope (`contract/kratos.md`, 1.6).
package struct ErrorBody: Sendable, Codable {
    package struct Detail: Sendable, Codable {
        package var id: ErrorID?
        package var code: Int?
        package var status: String?
        package var request: String?
        package var reason: String?
        package var message: String

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

    package var error: Detail
    /// The flow to go on with, when the one that was used is over.
    package var useFlowID: String?
    package var expiredAt: String?
    /// How long ago that was, in nanoseconds.
    package var since: Int64?

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
