extension SchemaComponent {
    /// A message in the outbox, without its content.
    static let courierMessage = SchemaComponent(
        "CourierMessage",
        "A message to a person. Body and subject are always empty: what stands in it is nobody's.",
        .object([
            .required("id", .uuid),
            .required("status", .oneOf("queued", "sent", "processing", "abandoned")),
            .required("type", .oneOf("email", "phone")),
            .required("recipient", .text),
            .required("body", .text(atMost: 0)),
            .required("subject", .text(atMost: 0)),
            .required("template_type", .text),
            .required("channel", .oneOf(Message.Channel.allCases)),
            .required("send_count", .integer(minimum: 0, maximum: nil)),
            .optional("dispatches", .array(.any, most: 0)),
            .required("created_at", .time),
            .required("updated_at", .time),
        ])
    )
}
