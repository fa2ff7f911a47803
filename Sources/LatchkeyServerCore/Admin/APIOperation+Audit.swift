extension APIOperation {
    static let listAuditEvents = APIOperation(
        "listAuditEvents",
        "Lists who did what to which account, the latest first.",
        parameters: [
            .pageSize, .pageToken, .query("identity", "Only what was done to this account.", .uuid),
        ],
        [APIResponse(200, "The events.", .array(.component(.auditEvent)), headers: [.link])]
    )
}

extension SchemaComponent {
    fileprivate static let auditEvent = SchemaComponent(
        "AuditEvent",
        "Something that was done to an account; it stays when the account is gone.",
        .object([
            .required("id", .uuid),
            .required("time", .time),
            .required("deed", .text),
            .required("actor", .oneOf(AuditEvent.Actor.allCases)),
            .required("identity_id", .uuid),
            .optional("subject", .text),
            .optional("address", .text),
            .optional("request_id", .text),
        ])
    )
}
