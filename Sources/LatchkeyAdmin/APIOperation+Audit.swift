import LatchkeyAccounts
import LatchkeyServerKit
import LatchkeyWire

extension APIOperation {
    /// Describes the operation of ``AuditEndpoints``.
    ///
    /// This operation isn't part of Kratos's API.
    static let listAuditEvents = APIOperation(
        "listAuditEvents",
        "Lists audit events, newest first.",
        parameters: [
            .pageSize, .pageToken, .query("identity", "Only returns events for this account.", .uuid),
        ],
        [APIResponse(200, "The audit events.", .array(.component(.auditEvent)), headers: [.link])]
    )
}

extension SchemaComponent {
    /// An event in the audit log.
    ///
    /// The members `subject`, `address` and `request_id` are omitted if they have no value.
    fileprivate static let auditEvent = SchemaComponent(
        "AuditEvent",
        "An event in the audit log. It is retained after the account is deleted.",
        .object([
            .required("id", .uuid),
            .required("time", .time),
            .required("action", .text),
            .required("actor", .oneOf(AuditEvent.Actor.allCases)),
            .required("identity_id", .uuid),
            .optional("subject", .text),
            .optional("address", .text),
            .optional("request_id", .text),
        ])
    )
}
