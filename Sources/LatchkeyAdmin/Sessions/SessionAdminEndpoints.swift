package import LatchkeyAccounts
import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// The admin routes of sessions, compatible with Kratos.
package struct SessionAdminEndpoints: Sendable {
    private static let bodyLimit = 64 * 1024

    private let sessions: SessionRepository
    private let directory: SessionDirectory
    private let administration: SessionAdministration
    private let writer: IdentityWriter

    /// Creates the routes.
    ///
    /// - Parameters:
    ///   - sessions: The repository in which single sessions are found.
    ///   - directory: The reader of pages of sessions.
    ///   - administration: Revokes, deletes and extends sessions.
    ///   - writer: The writer of the JSON of sessions.
    package init(
        sessions: SessionRepository,
        directory: SessionDirectory,
        administration: SessionAdministration,
        writer: IdentityWriter
    ) {
        self.sessions = sessions
        self.directory = directory
        self.administration = administration
        self.writer = writer
    }

    /// The routes of this group.
    package var endpoints: [Endpoint] {
        [
            Endpoint(.get, AdminRoute.sessions, below: .server, operation: .listSessions, answer: list),
            Endpoint(.post, AdminRoute.sessions, below: .server, operation: .manageSessions, answer: manage),
            Endpoint(.get, AdminRoute.session, below: .server, operation: .getSession, answer: show),
            Endpoint(.delete, AdminRoute.session, below: .server, operation: .revokeSession, answer: revoke),
            Endpoint(
                .patch,
                AdminRoute.sessionExtension,
                below: .server,
                operation: .extendSession,
                answer: extend
            ),
            Endpoint(
                .get,
                AdminRoute.identitySessions,
                below: .server,
                operation: .listIdentitySessions,
                answer: listOfIdentity
            ),
            Endpoint(
                .delete,
                AdminRoute.identitySessions,
                below: .server,
                operation: .revokeIdentitySessions,
                answer: revokeOfIdentity
            ),
        ]
    }

    private func list(_ exchange: Exchange) async throws -> HTTP.Response {
        let parts = try parts(exchange)
        let active = try active(exchange)
        let request = try PageRequest(exchange.query, keySize: 16)
        let page = try await directory.page(request, isActive: active, at: exchange.now)
        let filters =
            [("active", exchange.query["active"] ?? "")]
            + parts.map(\.rawValue).sorted().map { ("expand", $0) }
        return page.response(AdminRoute.sessions, filters: filters) { found, json in
            write(found, with: parts, in: exchange, to: &json)
        }
    }

    private func listOfIdentity(_ exchange: Exchange) async throws -> HTTP.Response {
        let id = try exchange.id(else: 400)
        let active = try active(exchange)
        let request = try PageRequest(exchange.query, keySize: 16, hasNumbers: true)
        let page = try await directory.page(of: id, request, isActive: active, at: exchange.now)
        let filters = [("active", exchange.query["active"] ?? "")]
        return page.response(exchange.request.path, filters: filters) { found, json in
            write(found, with: SessionPart.all, in: exchange, to: &json)
        }
    }

    private func show(_ exchange: Exchange) async throws -> HTTP.Response {
        let parts = try parts(exchange)
        return answer(try await find(exchange), with: parts, in: exchange)
    }

    private func revoke(_ exchange: Exchange) async throws -> HTTP.Response {
        try await administration.revoke(try await find(exchange), in: exchange)
        return HTTP.Response(204)
    }

    private func extend(_ exchange: Exchange) async throws -> HTTP.Response {
        try await administration.extend(try await find(exchange), in: exchange)
        return answer(try await find(exchange), with: SessionPart.all, in: exchange)
    }

    private func revokeOfIdentity(_ exchange: Exchange) async throws -> HTTP.Response {
        try await administration.revokeAll(of: try exchange.id(else: 400), in: exchange)
        return HTTP.Response(204)
    }

    /// Revokes or deletes many sessions; if `more` is true in the response, the client should repeat the
    /// request.
    private func manage(_ exchange: Exchange) async throws -> HTTP.Response {
        let change = try SessionBulkChange(try exchange.json(limit: Self.bodyLimit))
        let (processed, hasMore) = try await administration.manage(change, in: exchange)
        var writer = JSONWriter(reserving: 64)
        writer.object { writer in
            writer.name("processed")
            writer.integer(Int64(processed))
            writer.name("more")
            writer.bool(hasMore)
        }
        return .json(200, body: writer.bytes)
    }

    private func find(_ exchange: Exchange) async throws -> SessionRepository.Found {
        guard let found = try await sessions.find(try exchange.id(else: 400)) else {
            throw ServerError.notFound
        }
        return found
    }

    /// Returns the filter by activity; `nil` if the parameter `active` is missing or empty.
    private func active(_ exchange: Exchange) throws(ServerError) -> Bool? {
        switch exchange.query["active"] {
        case nil, ""?: return nil
        case "true"?: return true
        case "false"?: return false
        case _?: throw .malformed("The query parameter active must be true or false.")
        }
    }

    /// Returns the parts of a session that the parameter `expand` requests.
    private func parts(_ exchange: Exchange) throws(ServerError) -> Set<SessionPart> {
        var parts: Set<SessionPart> = []
        for name in exchange.query.values("expand") {
            guard let part = SessionPart(rawValue: name.lowercased()) else {
                throw .malformed("The query parameter expand must be identity or devices.")
            }
            parts.insert(part)
        }
        return parts
    }

    private func answer(
        _ found: SessionRepository.Found,
        with parts: Set<SessionPart>,
        in exchange: Exchange
    ) -> HTTP.Response {
        var json = JSONWriter()
        write(found, with: parts, in: exchange, to: &json)
        return .json(200, body: json.bytes)
    }

    private func write(
        _ found: SessionRepository.Found,
        with parts: Set<SessionPart>,
        in exchange: Exchange,
        to json: inout JSONWriter
    ) {
        let isActive = found.session.isAlive(at: exchange.now) && found.identity.isActive
        writer.write(found.session, of: found.identity, isActive: isActive, with: parts, to: &json)
    }
}
