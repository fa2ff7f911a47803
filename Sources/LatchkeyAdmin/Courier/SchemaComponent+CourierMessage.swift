import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

extension SchemaComponent {
    /// A message in the outbox, without its contents.
    ///
    /// The message has the same members as in Kratos, but `dispatches` is always empty.
    static let courierMessage = SchemaComponent(
        "CourierMessage",
        "A message to a user. Its body and subject are always empty, because contents are not disclosed.",
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
