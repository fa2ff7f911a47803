import LatchkeyAccounts
import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// The admin endpoint that lists the audit log.
///
/// This endpoint isn't part of Kratos's API.
package struct AuditEndpoints: Sendable {
    private let database: any Database

    /// Creates the endpoint.
    ///
    /// The endpoint only reads from the database.
    package init(database: any Database) {
        self.database = database
    }

    /// The endpoint that lists the audit log.
    ///
    /// Events are returned in pages, newest first. A request can ask for the events of a single identity. The
    /// events of an identity are still listed after the identity has been deleted.
    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .get,
                AdminRoute.audit,
                below: .server,
                accepts: .adminToken,
                operation: .listAuditEvents,
                answer: list
            )
        ]
    }

    /// Returns a page of events.
    ///
    /// We read one more event than the page size to find out whether there is a next page.
    ///
    /// - Throws: ``ServerError`` with status 400 if the page token, the page size or the identity is
    ///   malformed.
    private func list(_ context: RequestContext) async throws -> HTTP.Response {
        let request = try PageRequest(context.query, keySize: AuditLog.Position.keySize)
        let position = request.key.flatMap { AuditLog.Position(key: $0) }
        let identity = context.query["identity"] ?? ""
        let found: [AuditEvent]
        if identity.isEmpty {
            found = try await AuditLog.events(after: position, limit: request.size + 1, in: database)
        } else {
            guard let id = Identifier(identity) else {
                throw ServerError.malformed("The query parameter identity must be a UUID.")
            }
            found = try await AuditLog.events(of: id, after: position, limit: request.size + 1, in: database)
        }
        let page = Page(found, for: request) { AuditLog.Position(time: $0.time, id: $0.id).key }
        return page.response(AdminRoute.audit, filters: [("identity", identity)], write: Self.write)
    }

    /// Writes an event.
    ///
    /// Members without a value are omitted.
    private static func write(_ event: AuditEvent, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("id")
            writer.identifier(event.id)
            writer.name("time")
            writer.time(event.time)
            writer.name("action")
            writer.string(event.action.rawValue)
            writer.name("actor")
            writer.string(event.actor.rawValue)
            writer.name("identity_id")
            writer.identifier(event.identityID)
            for (name, text) in [
                ("subject", event.subject), ("address", event.address), ("request_id", event.requestID),
            ] {
                guard let text else { continue }
                writer.name(escaping: name)
                writer.string(text)
            }
        }
    }
}

extension AuditLog.Position {
    /// The size of a page key in bytes: 8 bytes for the timestamp and 16 bytes for the id.
    fileprivate static let keySize = 24

    /// The page key, which consists of the event's timestamp in microseconds, in big-endian order, and the
    /// event's id.
    fileprivate var key: [UInt8] {
        let time = UInt64(bitPattern: time.microseconds)
        return (0..<8).map { UInt8(truncatingIfNeeded: time >> (56 - 8 * $0)) } + id.bytes
    }

    /// Decodes a page key.
    ///
    /// Returns `nil` if the key has the wrong size.
    fileprivate init?(key: [UInt8]) {
        guard key.count == Self.keySize, let id = Identifier(bytes: Array(key.dropFirst(8))) else {
            return nil
        }
        let time = key.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        self.init(time: Timestamp(microseconds: Int64(bitPattern: time)), id: id)
    }
}
