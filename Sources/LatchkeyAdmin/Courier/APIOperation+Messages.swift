import LatchkeyServerKit
import LatchkeyWire

extension APIOperation {
    /// Corresponds to Kratos's `listCourierMessages` operation.
    static let listMessages = APIOperation(
        "listCourierMessages",
        "Lists sent and queued messages with their recipient and delivery status, without their contents.",
        parameters: [
            .pageSize, .pageToken,
            .query(
                "status",
                "Returns only messages with this status.",
                .oneOf("queued", "sent", "processing", "abandoned")
            ),
            .query("recipient", "Returns only messages to this phone number or e-mail address."),
        ],
        [APIResponse(200, "The messages.", .array(.component(.courierMessage)), headers: [.link])]
    )

    /// Corresponds to Kratos's `getCourierMessage` operation.
    static let getMessage = APIOperation(
        "getCourierMessage",
        "Returns a message without its contents.",
        parameters: [.path("id", "The message's id.", .uuid)],
        [
            APIResponse(200, "The message.", .component(.courierMessage)),
            .refusal(404, "The message does not exist."),
        ]
    )
}
