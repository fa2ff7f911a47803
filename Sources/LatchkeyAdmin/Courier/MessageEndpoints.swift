import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The admin endpoints for messages.
///
/// The endpoints are compatible with Kratos, except that the subject and the body of a message are always
/// empty.
struct MessageEndpoints: Sendable {
    /// The statuses that messages can be filtered by.
    private static let statuses: Set<String> = ["queued", "sent", "processing", "abandoned"]

    private let directory: MessageDirectory

    /// Creates the endpoints.
    ///
    /// The endpoints only read from the database.
    init(directory: MessageDirectory) {
        self.directory = directory
    }

    /// The endpoints that list messages and return a single message.
    ///
    /// The list can be filtered by `status` and `recipient`. Decoys are never returned.
    var endpoints: [Endpoint] {
        [
            Endpoint(
                .get,
                AdminRoute.messages,
                below: .server,
                accepts: .adminToken,
                operation: .listMessages,
                answer: list
            ),
            Endpoint(
                .get,
                AdminRoute.message,
                below: .server,
                accepts: .adminToken,
                operation: .getMessage,
                answer: show
            ),
        ]
    }

    /// Returns a page of messages, sorted by id.
    ///
    /// - Throws: ``ServerError`` with status 400 if the status is unknown or if the page token or page size
    ///   is malformed.
    private func list(_ context: RequestContext) async throws -> HTTP.Response {
        let request = try PageRequest(context.query, keySize: 16)
        let status = context.query["status"] ?? ""
        guard status.isEmpty || Self.statuses.contains(status) else {
            throw ServerError.malformed("The query parameter status is not a valid message status.")
        }
        let recipient = context.query["recipient"] ?? ""
        let page =
            recipient.isEmpty
            ? try await directory.page(request, status: status, at: context.now)
            : try await directory.page(
                request,
                to: LoginIdentifier.normalize(recipient),
                status: status,
                at: context.now
            )
        let filters = [("status", status), ("recipient", recipient)]
        return page.response(AdminRoute.messages, filters: filters) { entry, json in
            Self.write(entry, to: &json)
        }
    }

    /// Returns the message whose id is in the path.
    ///
    /// - Throws: ``ServerError`` with status 400 if the id isn't a UUID, or 404 if the message doesn't exist.
    private func show(_ context: RequestContext) async throws -> HTTP.Response {
        guard let entry = try await directory.find(try context.id(else: 400), at: context.now) else {
            throw ServerError.notFound
        }
        var json = JSONWriter(reserving: 512)
        Self.write(entry, isWhole: true, to: &json)
        return .json(200, body: json.bytes)
    }

    /// Writes a message.
    ///
    /// If `isWhole` is `true`, the message includes an empty `dispatches` array, which is omitted in lists.
    private static func write(
        _ entry: MessageDirectory.Entry,
        isWhole: Bool = false,
        to writer: inout JSONWriter
    ) {
        writer.object { writer in
            writer.name("id")
            writer.identifier(entry.id)
            writer.name("status")
            writer.string(entry.status)
            writer.name("type")
            // Strict clients reject `sms` as a type and expect `phone` instead, but they accept any string as
            // the channel.
            writer.string(entry.channel == "sms" ? "phone" : entry.channel)
            writer.name("recipient")
            writer.string(entry.recipient)
            writer.name("body")
            writer.string("")
            writer.name("subject")
            writer.string("")
            writer.name("template_type")
            writer.string(MessageKind.publishedType(of: entry.template))
            writer.name("channel")
            writer.string(entry.channel)
            writer.name("send_count")
            writer.integer(entry.attempts)
            if isWhole {
                writer.name("dispatches")
                writer.array { _ in }
            }
            writer.times(createdAt: entry.createdAt, updatedAt: entry.updatedAt)
        }
    }
}
