package import LatchkeyAccounts
import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// The admin routes for sessions, which are compatible with Kratos.
package struct SessionAdminEndpoints: Sendable {
    /// The maximum size of a body in bytes.
    private static let bodyLimit = 64 * 1024

    private let sessions: SessionRepository
    private let directory: SessionDirectory
    private let administration: SessionAdministration
    private let writer: IdentityWriter

    /// Creates the routes.
    ///
    /// - Parameters:
    ///   - sessions: The repository that finds single sessions.
    ///   - directory: The directory that reads pages of sessions.
    ///   - administration: Revokes, deletes and extends sessions.
    ///   - writer: The writer that renders sessions as JSON.
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

    /// The routes that read, extend and revoke sessions.
    ///
    /// The response has status 400 for a malformed id in the path, and 404 for an unknown session. For an
    /// unknown identity, the list of sessions is empty, whereas revoking its sessions results in status 404.
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

    /// Returns a page of all sessions, which includes identities and devices if the parameter `expand`
    /// requests them.
    private func list(_ context: RequestContext) async throws -> HTTP.Response {
        let parts = try parts(context)
        let active = try active(context)
        let request = try PageRequest(context.query, keySize: 16)
        let page = try await directory.page(request, isActive: active, at: context.now)
        let filters =
            [("active", context.query["active"] ?? "")]
            + parts.map(\.rawValue).sorted().map { ("expand", $0) }
        return page.response(AdminRoute.sessions, filters: filters) { found, json in
            write(found, with: parts, in: context, to: &json)
        }
    }

    /// Returns a page of an identity's sessions, including the identity and the devices.
    ///
    /// Pages can be requested by number.
    private func listOfIdentity(_ context: RequestContext) async throws -> HTTP.Response {
        let id = try context.id(else: 400)
        let active = try active(context)
        let request = try PageRequest(context.query, keySize: 16, hasNumbers: true)
        let page = try await directory.page(of: id, request, isActive: active, at: context.now)
        let filters = [("active", context.query["active"] ?? "")]
        return page.response(context.request.path, filters: filters) { found, json in
            write(found, with: SessionPart.all, in: context, to: &json)
        }
    }

    private func show(_ context: RequestContext) async throws -> HTTP.Response {
        let parts = try parts(context)
        return answer(try await find(context), with: parts, in: context)
    }

    private func revoke(_ context: RequestContext) async throws -> HTTP.Response {
        try await administration.revoke(try await find(context), in: context)
        return HTTP.Response(204)
    }

    /// Extends a session, reads it again and returns it, even if it could not be extended.
    private func extend(_ context: RequestContext) async throws -> HTTP.Response {
        try await administration.extend(try await find(context), in: context)
        return answer(try await find(context), with: SessionPart.all, in: context)
    }

    private func revokeOfIdentity(_ context: RequestContext) async throws -> HTTP.Response {
        try await administration.revokeAll(of: try context.id(else: 400), in: context)
        return HTTP.Response(204)
    }

    /// Revokes or deletes many sessions.
    ///
    /// The client should repeat the request while `more` is true in the response.
    private func manage(_ context: RequestContext) async throws -> HTTP.Response {
        let change = try SessionBulkChange(try context.json(limit: Self.bodyLimit))
        let (processed, hasMore) = try await administration.manage(change, in: context)
        var writer = JSONWriter(reserving: 64)
        writer.object { writer in
            writer.name("processed")
            writer.integer(Int64(processed))
            writer.name("more")
            writer.bool(hasMore)
        }
        return .json(200, body: writer.bytes)
    }

    /// Finds the session with the id in the path, which may be expired or revoked.
    ///
    /// - Throws: ``ServerError`` with status 400 for a malformed id, or 404 if the session does not exist.
    private func find(_ context: RequestContext) async throws -> SessionRepository.Found {
        guard let found = try await sessions.find(try context.id(else: 400)) else {
            throw ServerError.notFound
        }
        return found
    }

    /// Returns the value of the filter `active`; `nil` if the parameter is missing or empty.
    ///
    /// - Throws: ``ServerError`` with status 400 for a value other than `true` and `false`.
    private func active(_ context: RequestContext) throws(ServerError) -> Bool? {
        switch context.query["active"] {
        case nil, ""?: return nil
        case "true"?: return true
        case "false"?: return false
        case _?: throw .malformed("The query parameter active must be true or false.")
        }
    }

    /// Returns the related data (`identity` or `devices`) that the parameter `expand` requests in any letter
    /// case.
    ///
    /// - Throws: ``ServerError`` with status 400 for an unknown value of `expand`.
    private func parts(_ context: RequestContext) throws(ServerError) -> Set<SessionPart> {
        var parts: Set<SessionPart> = []
        for name in context.query.values("expand") {
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
        in context: RequestContext
    ) -> HTTP.Response {
        var json = JSONWriter()
        write(found, with: parts, in: context, to: &json)
        return .json(200, body: json.bytes)
    }

    /// Writes a session, which is active if it has not ended and its identity is active.
    private func write(
        _ found: SessionRepository.Found,
        with parts: Set<SessionPart>,
        in context: RequestContext,
        to json: inout JSONWriter
    ) {
        let isActive = found.session.isAlive(at: context.now) && found.identity.isActive
        writer.write(found.session, of: found.identity, isActive: isActive, with: parts, to: &json)
    }
}
