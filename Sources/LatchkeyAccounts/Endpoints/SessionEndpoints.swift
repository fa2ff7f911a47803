import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// The routes `whoami` and logout (`contract/kratos.md`).
package struct SessionEndpoints: Sendable {
    private static let bodyLimit = 4096

    private let authenticator: SessionAuthenticator
    private let sessions: SessionRepository
    private let ending: SessionRevoker
    private let writer: IdentityWriter

    /// Creates the routes.
    ///
    /// - Parameters:
    ///   - authenticator: The authenticator of `whoami`, which also accepts access tokens.
    ///   - sessions: The repository in which logout finds the session of a token in any state.
    ///   - ending: Revokes the session at logout.
    ///   - writer: The writer of the JSON of sessions.
    package init(
        authenticator: SessionAuthenticator,
        sessions: SessionRepository,
        ending: SessionRevoker,
        writer: IdentityWriter
    ) {
        self.authenticator = authenticator
        self.sessions = sessions
        self.ending = ending
        self.writer = writer
    }

    /// The routes of this group.
    ///
    /// `whoami` responds with status 401 without an active session and 403 for a provisional one. Logout
    /// responds with status 204 for every token that is or was valid, and 403 for an unknown one.
    package var endpoints: [Endpoint] {
        [
            Endpoint(.get, Route.whoami, operation: .whoami, answer: whoami),
            Endpoint(.delete, Route.logout, operation: .logout, answer: logout),
        ]
    }

    /// Handles `GET /sessions/whoami`; the request is authenticated before its query is checked.
    ///
    /// - Throws: ``ServerError`` with status 401, 403, or 400 for a value of `tokenize_as`.
    private func whoami(_ context: RequestContext) async throws -> HTTP.Response {
        let found = try await authenticator.sessionOfAnyToken(of: context)
        guard context.query["tokenize_as"] ?? "" == "" else {
            throw ServerError.malformed("tokenize_as is not supported; use the token endpoint.")
        }
        var body = JSONWriter()
        writer.write(found.session, of: found.identity, to: &body)
        var response = HTTP.Response.json(200, body: body.bytes)
        response.headers["X-Kratos-Authenticated-Identity-Id"] = found.identity.id.description
        return response
    }

    /// Handles `DELETE /self-service/logout/api`.
    ///
    /// A missing token is treated like an unknown one. A replaced token after its expiry gets the same
    /// response as a valid one, but the session continues.
    ///
    /// - Throws: ``ServerError`` with status 413 for a body of more than 4096 bytes, 400 for one that is not
    ///   a JSON object with a string, and 403 for an unknown token.
    private func logout(_ context: RequestContext) async throws -> HTTP.Response {
        guard context.request.body.count <= Self.bodyLimit else { throw ServerError(413) }
        guard let body = try? JSONParser.parse(context.request.body), case .object = body else {
            throw ServerError.malformed("The body must be a JSON object.")
        }
        let token: String
        switch body["session_token"] {
        case .string(let text)?: token = text
        case nil, .null?: token = ""
        case .some: throw ServerError.malformed("The member session_token must be a string.")
        }
        guard let found = try await sessions.find(SessionToken(presented: Secret(token))) else {
            throw ServerError(403, reason: "No active session was found for this token.")
        }
        // A replaced token that has expired may be in the hands of an attacker, and does not revoke the
        // session.
        if found.isTokenValid(at: context.now) {
            try await ending.end(
                found.session.id,
                of: found.session.identityID,
                as: .loggedOut,
                in: context
            )
        }
        return HTTP.Response(204)
    }
}
