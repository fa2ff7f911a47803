import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The admin endpoints for sessions.
///
/// The endpoints are compatible with Kratos.
struct SessionAdminEndpoints: Sendable {
    /// The maximum size of a request body, in bytes.
    private static let bodyLimit = 64 * 1024

    private let sessions: SessionRepository
    private let directory: SessionDirectory
    private let administration: SessionAdministration
    private let writer: IdentityWriter

    /// Creates the endpoints.
    ///
    /// - Parameters:
    ///   - sessions: Finds single sessions.
    ///   - directory: Reads pages of sessions.
    ///   - administration: Revokes, deletes and extends sessions.
    ///   - writer: Writes sessions as JSON.
    init(
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

    /// The endpoints that read, extend and revoke sessions.
    ///
    /// The endpoints respond with status 400 if the id in the path is malformed, and with 404 if the session
    /// doesn't exist. If an identity doesn't exist, its list of sessions is empty, but revoking its sessions
    /// fails with status 404.
    var endpoints: [Endpoint] {
        [
            Endpoint(
                .get,
                AdminRoute.sessions,
                below: .server,
                accepts: .adminToken,
                operation: .listSessions,
                answer: list
            ),
            Endpoint(
                .post,
                AdminRoute.sessions,
                below: .server,
                accepts: .adminToken,
                operation: .manageSessions,
                answer: manage
            ),
            Endpoint(
                .get,
                AdminRoute.session,
                below: .server,
                accepts: .adminToken,
                operation: .getSession,
                answer: show
            ),
            Endpoint(
                .delete,
                AdminRoute.session,
                below: .server,
                accepts: .adminToken,
                operation: .revokeSession,
                answer: revoke
            ),
            Endpoint(
                .patch,
                AdminRoute.sessionExtension,
                below: .server,
                accepts: .adminToken,
                operation: .extendSession,
                answer: extend
            ),
            Endpoint(
                .get,
                AdminRoute.identitySessions,
                below: .server,
                accepts: .adminToken,
                operation: .listIdentitySessions,
                answer: listOfIdentity
            ),
            Endpoint(
                .delete,
                AdminRoute.identitySessions,
                below: .server,
                accepts: .adminToken,
                operation: .revokeIdentitySessions,
                answer: revokeOfIdentity
            ),
        ]
    }

    /// Returns a page of all sessions.
    ///
    /// Identities and devices are included if the parameter `expand` asks for them.
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
    /// Clients can request a page by its number.
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

    /// Extends a session and returns its new state.
    ///
    /// The session is returned even if it could not be extended.
    private func extend(_ context: RequestContext) async throws -> HTTP.Response {
        try await administration.extend(try await find(context), in: context)
        return answer(try await find(context), with: SessionPart.all, in: context)
    }

    private func revokeOfIdentity(_ context: RequestContext) async throws -> HTTP.Response {
        try await administration.revokeAll(of: try context.id(else: 400), in: context)
        return HTTP.Response(204)
    }

    /// Revokes or deletes several sessions.
    ///
    /// As long as `more` is `true` in the response, the client should repeat the request.
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

    /// Finds the session whose id is in the path.
    ///
    /// The session may have expired or been revoked.
    ///
    /// - Throws: ``ServerError`` with status 400 if the id is malformed, or 404 if the session doesn't exist.
    private func find(_ context: RequestContext) async throws -> AuthenticatedSession {
        guard let found = try await sessions.find(try context.id(else: 400)) else {
            throw ServerError.notFound
        }
        return found
    }

    /// Returns the value of the filter `active`, or `nil` if it is missing or empty.
    ///
    /// - Throws: ``ServerError`` with status 400 if the value is neither `true` nor `false`.
    private func active(_ context: RequestContext) throws(ServerError) -> Bool? {
        switch context.query["active"] {
        case nil, ""?: return nil
        case "true"?: return true
        case "false"?: return false
        case _?: throw .malformed("The query parameter active must be true or false.")
        }
    }

    /// Returns the related data to include, which the parameter `expand` specifies.
    ///
    /// The values `identity` and `devices` are not case-sensitive.
    ///
    /// - Throws: ``ServerError`` with status 400 if `expand` has an unknown value.
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
        _ found: AuthenticatedSession,
        with parts: Set<SessionPart>,
        in context: RequestContext
    ) -> HTTP.Response {
        var json = JSONWriter()
        write(found, with: parts, in: context, to: &json)
        return .json(200, body: json.bytes)
    }

    /// Writes a session.
    ///
    /// A session is active if it hasn't ended and its identity is active.
    private func write(
        _ found: AuthenticatedSession,
        with parts: Set<SessionPart>,
        in context: RequestContext,
        to json: inout JSONWriter
    ) {
        let isActive = found.session.isAlive(at: context.now) && found.identity.isActive
        writer.write(found.session, of: found.identity, isActive: isActive, with: parts, to: &json)
    }
}
