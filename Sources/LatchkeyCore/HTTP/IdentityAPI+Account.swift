import LatchkeyModel
import LatchkeyWire

/// Requests for the user's account and its other sessions.
extension IdentityAPI {
    /// Fetches the account that a token belongs to.
    ///
    /// - Throws: ``LatchkeyError`` with the code ``LatchkeyError/Code/sessionEnded`` if the session doesn't
    ///   exist, or another error if the request failed.
    func profile(_ token: Secret) async throws(LatchkeyError) -> AccountProfile {
        let answer = try await send(.get, path: Route.whoami, token: token, route: .whoami)
        guard let profile = AccountProfile(decoding: answer.json?["identity"]) else {
            throw .unexpected(answer)
        }
        return profile
    }

    /// Fetches the account's other sessions, up to a maximum of 1,000.
    func otherSessions(_ token: Secret) async throws(LatchkeyError) -> [DeviceSession] {
        let answer = try await send(.get, path: Route.sessions, query: "per_page=1000", token: token)
        guard let sessions = answer.json?.array else { throw .unexpected(answer) }
        return sessions.prefix(Flow.limit).compactMap { DeviceSession(decoding: $0) }
    }

    /// Revokes one of the account's other sessions.
    func revokeSession(_ id: String, token: Secret) async throws(LatchkeyError) {
        _ = try await send(.delete, path: Route.sessions + "/" + QueryItems.encode(id), token: token)
    }

    /// Revokes all other sessions of the account.
    ///
    /// - Returns: The number of revoked sessions, as reported by the server.
    func revokeOtherSessions(_ token: Secret) async throws(LatchkeyError) -> Int {
        let answer = try await send(.delete, path: Route.sessions, token: token)
        return answer.json?["count"]?.integer ?? 0
    }

    /// Requests the deletion of the account.
    ///
    /// - Returns: The earliest time at which the server erases the account.
    func deleteAccount(_ token: Secret) async throws(LatchkeyError) -> Timestamp {
        let answer = try await send(.delete, path: Route.account, token: token)
        guard let text = answer.json?["deletion_at"]?.text, let end = Timestamp(rfc3339: text) else {
            throw .unexpected(answer)
        }
        return end
    }

    /// Fetches everything the server stores about the account.
    func exportAccount(_ token: Secret) async throws(LatchkeyError) -> [UInt8] {
        let answer = try await send(
            .get,
            path: Route.accountExport,
            token: token,
            limits: RequestLimits(bodyLimit: 64 << 20)
        )
        guard answer.json != nil else { throw .unexpected(answer) }
        return answer.body
    }

    /// Sends a request with a session token.
    ///
    /// Throws an error unless the status is 2xx.
    private func send(
        _ method: HTTP.Method,
        path: String,
        query: String? = nil,
        token: Secret,
        route: SessionRoute = .other,
        limits: RequestLimits = RequestLimits()
    ) async throws(LatchkeyError) -> HTTP.Response {
        let answer = try await exchange(
            HTTP.Request(
                method,
                selfService + path,
                query: query,
                headers: ["X-Session-Token": token.exposed]
            ),
            limits: limits
        )
        guard (200..<300).contains(answer.status) else {
            throw LatchkeyError(
                refusal: ServerRefusal(decoding: answer, from: route).without([token])
            )
        }
        return answer
    }
}
