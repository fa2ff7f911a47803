import LatchkeyModel
package import LatchkeyWire

/// Sends the app's own requests with the session's credential.
package struct AuthorizedRequests: Sendable {
    private let transport: any Transport
    private let origins: APIOrigins
    private let api: IdentityAPI
    private let keeper: SessionKeeper
    package let maintenance: SessionMaintenance
    private let refused: RefusedTokens
    private let time: any TimeSource

    init(
        transport: any Transport,
        origins: APIOrigins,
        api: IdentityAPI,
        keeper: SessionKeeper,
        maintenance: SessionMaintenance,
        refused: RefusedTokens,
        time: any TimeSource
    ) {
        self.transport = transport
        self.origins = origins
        self.api = api
        self.keeper = keeper
        self.maintenance = maintenance
        self.refused = refused
        self.time = time
    }

    /// Sends a request with the session's credential.
    ///
    /// A request waits for the identity server only if there is no usable token: when the access token has
    /// expired, or the app's server rejected it with 401. After a 401, the request is repeated once. Early
    /// refreshes, certificate renewal, and the session check after a 401 happen in the background.
    ///
    /// A 401 ends the session only if the identity server sends it in response to a session token; see
    /// ``IdentityAPI/route(of:at:)``. The response is returned in any case.
    ///
    /// - Parameters:
    ///   - request: The request, with its complete path; this method sets the `Authorization` header field.
    ///   - origin: Scheme, host and port; must be one of the origins that the app lists.
    /// - Returns: The response, regardless of its status.
    /// - Throws: ``LatchkeyError``: ``LatchkeyError/Code/signedOut`` if there is no session,
    ///   ``LatchkeyError/Code/originNotAllowed``, before any request is sent, if the app does not list the
    ///   origin.
    package func send(_ request: HTTP.Request, to origin: String) async throws(LatchkeyError) -> HTTP.Response
    {
        let origin = try origins.origin(origin)
        do throws(TransportError) {
            try RequestTarget.check(request)
        } catch {
            throw LatchkeyError(transport: error)
        }
        let now = time.now
        let session = try await usable(keeper.access(), at: now)
        let answer = try await send(request, to: origin, as: session)
        guard answer.status == 401 else {
            if now >= session.stored.certificate.renewalDate { maintenance.renewCertificate(of: session) }
            return answer
        }
        if session.handle.isPair {
            return try await repeated(request, to: origin, refused: session) ?? answer
        }
        let route = api.route(of: request, at: origin)
        if let route, ServerRefusal(decoding: answer, from: route).endsSession {
            await keeper.end(
                session,
                because: "The identity server rejected a request because it does not accept the session."
            )
        } else {
            maintenance.check(session, refusedBy: origin)
        }
        return answer
    }

    /// Repeats a request after a 401, with a fresher access token.
    ///
    /// - Parameters:
    ///   - request: The original request, as the app passed it.
    ///   - origin: The origin that rejected the token.
    ///   - session: The session with the rejected token.
    /// - Returns: The response, or `nil` if the original response stands because the session has ended or
    ///   refreshes for this origin are paused.
    /// - Throws: ``LatchkeyError`` if the identity server could not be asked: the user is still logged in,
    ///   but the 401 would suggest otherwise.
    private func repeated(
        _ request: HTTP.Request,
        to origin: String,
        refused session: HeldSession
    ) async throws(LatchkeyError) -> HTTP.Response? {
        switch refused.advice(on: session, refusedBy: origin) {
        case .accept: return nil
        case .fail(let error): throw error
        case .refresh: break
        }
        let fresher: HeldSession
        do throws(LatchkeyError) {
            fresher = try await keeper.access(fresherThan: session)
        } catch  where error.code == .signedOut {
            return nil
        } catch {
            if error.code != .cancelled { refused.fail(session, at: origin, with: error) }
            throw error
        }
        guard fresher.stored.pair != nil else { return nil }
        let answer = try await send(request, to: origin, as: fresher)
        if answer.status != 401 { refused.forget(fresher, at: origin) }
        return answer
    }

    /// Returns the session with an unexpired credential, and starts an early refresh when one is due.
    private func usable(
        _ session: HeldSession,
        at now: Timestamp
    ) async throws(LatchkeyError) -> HeldSession {
        guard session.handle.isPair else { return session }
        guard let pair = session.stored.pair, now < pair.expiresAt else {
            return try await keeper.access(fresherThan: session)
        }
        if now >= pair.renewAt { maintenance.refreshTokens(of: session) }
        return session
    }

    /// Sends a request once, with a session's current credential.
    private func send(
        _ request: HTTP.Request,
        to origin: String,
        as session: HeldSession
    ) async throws(LatchkeyError) -> HTTP.Response {
        guard !Task.isCancelled else { throw .cancelled }
        let token =
            session.handle.isPair ? session.stored.pair?.access ?? session.stored.token : session.stored.token
        var request = request
        request.headers["Authorization"] = "Bearer \(token.exposed)"
        do throws(TransportError) {
            return try await transport.send(request, to: origin)
        } catch {
            throw LatchkeyError(transport: error)
        }
    }
}
