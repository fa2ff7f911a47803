import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The routes for logging out and for reading the current session with `whoami` (`contract/kratos.md`).
struct SessionEndpoints: Sendable {
    private static let bodyLimit = 4096

    private let authenticator: SessionAuthenticator
    private let sessions: SessionRepository
    private let ending: SessionRevoker
    private let duties: Duties
    private let writer: IdentityWriter

    /// Creates the routes.
    ///
    /// - Parameters:
    ///   - authenticator: Authenticates `whoami` requests, which can also use access tokens.
    ///   - sessions: The repository that logout uses to look up the token's session, which may have ended.
    ///   - ending: Revokes the session on logout.
    ///   - duties: Determines the steps that `whoami` reports.
    ///   - writer: Writes sessions as JSON.
    init(
        authenticator: SessionAuthenticator,
        sessions: SessionRepository,
        ending: SessionRevoker,
        duties: Duties,
        writer: IdentityWriter
    ) {
        self.authenticator = authenticator
        self.sessions = sessions
        self.ending = ending
        self.duties = duties
        self.writer = writer
    }

    /// The routes that this type handles.
    ///
    /// `whoami` returns status 401 if there is no active session, and 403 if the session is provisional.
    /// Logout returns status 204 for any token that is or was valid, and 403 for an unknown token.
    var endpoints: [Endpoint] {
        [
            Endpoint(
                .get,
                Route.whoami,
                accepts: .session(SessionCredentials(accessTokens: .ofSession, carrier: .either))
                    .exemptFromDuties,
                operation: .whoami,
                answer: whoami
            ),
            Endpoint(
                .delete,
                Route.logout,
                accepts: .body(BodyCredentials([.sessionToken])).exemptFromDuties,
                operation: .logout,
                answer: logout
            ),
        ]
    }

    /// Handles `GET /sessions/whoami`.
    ///
    /// The request is authenticated before its query is checked.
    ///
    /// - Throws: ``ServerError`` with status 401 or 403 if there is no active full session, or 400 if
    ///   `tokenize_as` isn't empty.
    private func whoami(_ context: RequestContext) async throws -> HTTP.Response {
        let found = try await authenticator.requiredSession(of: context, refusal: nil)
        guard context.query["tokenize_as"] ?? "" == "" else {
            throw ServerError.malformed("tokenize_as is not supported; use the token endpoint.")
        }
        let duties = try await duties.open(for: found, in: context)
        var body = JSONWriter()
        writer.write(found.session, of: found.identity, duties: duties, to: &body)
        var response = HTTP.Response.json(200, body: body.bytes)
        response.headers["X-Kratos-Authenticated-Identity-Id"] = found.identity.id.description
        return response
    }

    /// Handles `DELETE /self-service/logout/api`.
    ///
    /// A missing token is treated like an unknown one. If the token has been replaced and the replaced token
    /// has expired, the response is the same as for a valid token, but the session isn't revoked.
    ///
    /// - Throws: ``ServerError`` with status 413 if the body is larger than 4096 bytes, 400 if the body isn't
    ///   a JSON object or `session_token` isn't a string, or 403 if the token is unknown.
    private func logout(_ context: RequestContext) async throws -> HTTP.Response {
        try context.requireDeclared(.sessionToken)
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
        // A replaced token that has expired may be in the hands of an attacker, so it mustn't be able to
        // revoke the session.
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
