extension APIOperation {
    static let listMessages = APIOperation(
        "listCourierMessages",
        "Lists messages to people: to whom they went and what came of them, never what stands in them.",
        parameters: [
            .pageSize, .pageToken,
            .query(
                "status",
                "Only those in this state.",
                .oneOf("queued", "sent", "processing", "abandoned")
            ),
            .query("recipient", "Only those to this phone number or address."),
        ],
        [APIResponse(200, "The messages.", .array(.component(.courierMessage)), headers: [.link])]
    )

    static let getMessage = APIOperation(
        "getCourierMessage",
        "Shows a message, without what stands in it.",
        parameters: [.path("id", "The message's id.", .uuid)],
        [
            APIResponse(200, "The message.", .component(.courierMessage)),
            .refusal(404, "There is no such message."),
        ]
    )
}
