import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// An endpoint that lists the messages of the development courier, for callers on the same machine.
struct OutboxEndpoint: Sendable {
    /// The path of the endpoint on the admin listener.
    static let path = "/courier/messages"

    private let delivery: DevelopmentDelivery

    init(_ delivery: DevelopmentDelivery) {
        self.delivery = delivery
    }

    /// The endpoint that lists the development courier's messages.
    ///
    /// The endpoint checks the address of the connection. A reverse proxy on the same machine would therefore
    /// expose the outbox to its clients.
    var endpoints: [Endpoint] {
        [
            Endpoint(.get, Self.path, below: .server, accepts: .adminToken, operation: .readOutbox) {
                [delivery] context in
                // The messages contain codes that give access to every account. Reject remote callers even if
                // they have the admin token.
                guard Loopback.contains(context.peer.address) else {
                    throw ServerError(
                        403,
                        reason: "The outbox is available only to callers on the same machine."
                    )
                }
                return .json(200, body: Self.list(delivery.messages(to: context.query["recipient"])))
            }
        ]
    }

    /// Encodes the messages as a JSON array, oldest first.
    private static func list(_ entries: [DevelopmentDelivery.Entry]) -> [UInt8] {
        var writer = JSONWriter()
        writer.array { writer in
            for entry in entries {
                writer.object { writer in
                    writer.name("id")
                    writer.identifier(entry.message.id)
                    writer.name("type")
                    writer.string(entry.message.channel.rawValue)
                    writer.name("template_type")
                    writer.string(entry.message.template)
                    writer.name("recipient")
                    writer.string(entry.message.recipient)
                    if let subject = entry.message.subject {
                        writer.name("subject")
                        writer.string(subject.exposed)
                    }
                    writer.name("body")
                    writer.string(entry.message.body.exposed)
                    if let html = entry.message.html {
                        writer.name("html")
                        writer.string(html.exposed)
                    }
                    if let code = entry.message.code {
                        writer.name("code")
                        writer.string(code.exposed)
                    }
                    writer.name("created_at")
                    writer.time(entry.time)
                }
            }
        }
        return writer.bytes
    }
}

extension APIOperation {
    fileprivate static let readOutbox = APIOperation(
        "readOutbox",
        "Returns the messages that the development courier would have sent, oldest first.",
        parameters: [.query("recipient", "Returns only messages to this phone number or e-mail address.")],
        [
            APIResponse(
                200,
                "The messages.",
                .array(
                    .object([
                        .required("id", .uuid), .required("type", .oneOf(Message.Channel.allCases)),
                        .required("template_type", .text), .required("recipient", .text),
                        .optional("subject", .text), .required("body", .text), .optional("html", .text),
                        .optional("code", .text), .required("created_at", .time),
                    ])
                )
            ),
            .refusal(403, "The caller is on another machine."),
        ]
    )
}
