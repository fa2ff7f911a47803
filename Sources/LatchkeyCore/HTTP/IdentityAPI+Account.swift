import LatchkeyModel
import LatchkeyWire

/// Requests for the user's account and its other sessions.
extension IdentityAPI {
    /// Fetches the account that a token belongs to.
    ///
    /// - Throws: ``LatchkeyError`` with the code ``LatchkeyError/Code/sessionEnded`` if the session doesn't
    ///   exist, or another error if the request failed.
    func identity(_ token: Secret) async throws(LatchkeyError) -> Identity {
        let answer = try await send(
            .get,
            path: Route.whoami,
            token: token,
            for: SessionBody.self,
            route: .whoami
        )
        return try answer.value(Identity(decoding: answer.json["identity"]))
    }

    /// Fetches the account's other sessions, up to a maximum of 1,000.
    func otherSessions(_ token: Secret) async throws(LatchkeyError) -> [DeviceSession] {
        let answer = try await send(
            .get,
            path: Route.sessions,
            query: "per_page=1000",
            token: token,
            for: [SessionBody].self
        )
        return Array(try answer.json.elements { DeviceSession(decoding: $0) }.prefix(Flow.limit))
    }

    /// Revokes one of the account's other sessions.
    func revokeSession(_ id: String, token: Secret) async throws(LatchkeyError) {
        // Without a segment, the request would revoke all other sessions.
        guard let segment = PathSegment.encode(id) else {
            throw LatchkeyError(
                .invalidInput,
                message: "There is no session with the identifier \(id.debugDescription)."
            )
        }
        _ = try await send(
            .delete,
            path: Route.sessions + "/" + segment,
            token: token,
            for: NoContent.self
        )
    }

    /// Revokes all other sessions of the account.
    ///
    /// - Returns: The number of revoked sessions, as reported by the server.
    func revokeOtherSessions(_ token: Secret) async throws(LatchkeyError) -> Int {
        let answer = try await send(
            .delete,
            path: Route.sessions,
            token: token,
            for: RevokedSessionsBody.self
        )
        return try answer.value(answer.json["count"]?.integer)
    }

    /// Requests the deletion of the account.
    ///
    /// - Returns: The earliest time at which the server erases the account.
    func deleteAccount(_ token: Secret) async throws(LatchkeyError) -> Timestamp {
        let answer = try await send(
            .delete,
            path: Route.account,
            token: token,
            for: AccountDeletionBody.self
        )
        return try answer.value(answer.json["deletion_at"]?.text.flatMap { Timestamp(rfc3339: $0) })
    }

    /// Fetches everything the server stores about the account.
    func exportAccount(_ token: Secret) async throws(LatchkeyError) -> [UInt8] {
        let answer = try await exchange(
            request(.get, path: Route.accountExport, token: token),
            limits: RequestLimits(bodyLimit: 64 << 20)
        )
        let export = try ServerAnswer<AccountExportBody>(answer, hiding: [token])
        _ = try export.value(export.json["identity"]?.object)
        return answer.body
    }

    /// Sends a request with a session token.
    private func send<Body: AnswerBody>(
        _ method: HTTP.Method,
        path: String,
        query: String? = nil,
        token: Secret,
        for type: Body.Type,
        route: SessionRoute = .other
    ) async throws(LatchkeyError) -> ServerAnswer<Body> {
        let request = request(method, path: path, query: query, token: token)
        return try await send(request, for: type, secrets: [token], route: route)
    }

    private func request(
        _ method: HTTP.Method,
        path: String,
        query: String? = nil,
        token: Secret
    ) -> HTTP.Request {
        HTTP.Request(method, selfService + path, query: query, headers: ["X-Session-Token": token.exposed])
    }
}
