import LatchkeyModel
package import LatchkeyWire

/// Sends the app's own requests with the session's credential.
///
/// This type also provides credentials for requests that the app sends itself.
package struct AuthorizedRequests: Sendable {
    let transport: any Transport
    let origins: APIOrigins
    let api: IdentityAPI
    let keeper: SessionKeeper
    package let maintenance: SessionMaintenance
    let refused: RefusedTokens
    let proofs: ProofOfPossession
    private let needsBinding: Bool
    let time: any TimeSource

    init(
        transport: any Transport,
        origins: APIOrigins,
        api: IdentityAPI,
        keeper: SessionKeeper,
        maintenance: SessionMaintenance,
        refused: RefusedTokens,
        proofs: ProofOfPossession,
        credential: Credential,
        time: any TimeSource
    ) {
        self.transport = transport
        self.origins = origins
        self.api = api
        self.keeper = keeper
        self.maintenance = maintenance
        self.refused = refused
        self.proofs = proofs
        needsBinding = credential == .boundAccessToken
        self.time = time
    }

    /// Sends a request with the session's credential.
    ///
    /// A request only has to wait for the identity server if there is no usable token, because the access
    /// token has expired or the app's server rejected it with 401. If the app's server responds with 401, the
    /// request is repeated once. Early refreshes, certificate renewals and the session check after a 401 are
    /// done in the background.
    ///
    /// Requests to the identity server's own routes, except `whoami`, contain the session token, even if the
    /// app's requests use access tokens, because an access token opens APIs and not the account. See
    /// ``IdentityAPI/route(of:at:)``.
    ///
    /// A 401 response only ends the session if the identity server sends it in response to a session token.
    /// The response is always returned.
    ///
    /// - Parameters:
    ///   - request: The request with its complete path. This method sets the `Authorization` header field.
    ///   - origin: The scheme, host and port. This must be one of the origins that the app lists.
    ///   - limits: The limits for each exchange with the app's server.
    ///   - account: The id of the account that must be logged in, or `nil` for any account.
    ///   - provesKey: Whether a request to the identity server with a session token also contains a proof of
    ///     possession of the device's key.
    /// - Returns: The response, regardless of its status.
    /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/signedOut`` if the account isn't logged
    ///   in, or ``LatchkeyError/Code/originNotAllowed`` if the app doesn't list the origin. In this case, no
    ///   request is sent.
    package func send(
        _ request: HTTP.Request,
        to origin: String,
        limits: RequestLimits = RequestLimits(),
        onlyAs account: String? = nil,
        provingKey provesKey: Bool = false
    ) async throws(LatchkeyError) -> HTTP.Response {
        let origin = try origins.origin(origin)
        do throws(TransportError) {
            try RequestTarget.check(request)
        } catch {
            throw LatchkeyError(transport: error)
        }
        let now = time.now
        let route = api.route(of: request, at: origin)
        var session = try await keeper.access()
        if route != nil { _ = try session.token }
        let usesPair = session.usesPair(at: route)
        if usesPair { session = try await usable(session, at: now) }
        if let account, session.stored.session.identity.id != account { throw .replaced }
        let answer = try await send(
            request,
            to: origin,
            as: session,
            route: route,
            provesKey: provesKey,
            limits: limits
        )
        guard answer.status == 401 else {
            if session.stored.certificate?.isRenewalDue(at: now) == true {
                maintenance.renewCertificate(of: session)
            }
            return answer
        }
        if usesPair {
            return try await repeated(request, to: origin, refused: session, limits: limits) ?? answer
        }
        if let route, ServerRefusal(decoding: answer, from: route)?.endsSession == true {
            await keeper.end(
                session,
                because: "The identity server rejected a request because it does not accept the session."
            )
        } else {
            maintenance.check(session, refusedBy: origin)
        }
        return answer
    }

    /// Returns the duty that a response of the identity server requires before the request can be repeated.
    ///
    /// Only the identity server's own routes can require a duty.
    func duty(in answer: HTTP.Response, to request: HTTP.Request, at origin: String) -> Duty.Kind? {
        guard answer.status == 403, let origin = try? origins.origin(origin),
            let route = api.route(of: request, at: origin)
        else { return nil }
        return ServerRefusal(decoding: answer, from: route)?.duty
    }

    /// Repeats a request with a newer access token after a 401 response.
    ///
    /// - Parameters:
    ///   - request: The request that the app passed in.
    ///   - origin: The origin that rejected the token.
    ///   - session: The session with the rejected token.
    ///   - limits: The limits for the exchange.
    /// - Returns: The new response, or `nil` if the original response should be returned to the app because
    ///   the session has ended or refreshes for this origin are being delayed.
    /// - Throws: ``LatchkeyError`` if the tokens could not be refreshed. The user is still logged in, so
    ///   returning the 401 response would be misleading.
    private func repeated(
        _ request: HTTP.Request,
        to origin: String,
        refused session: HeldSession,
        limits: RequestLimits
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
        let answer = try await send(request, to: origin, as: fresher, route: nil, limits: limits)
        if Self.acceptsToken(answer.status) { refused.forget(fresher, at: origin) }
        return answer
    }

    /// Returns whether the status shows that an API has accepted the token.
    ///
    /// Gateways send the other ones before the API has seen the request.
    static func acceptsToken(_ status: Int) -> Bool {
        status < 500 && ![401, 407, 408, 425, 429].contains(status)
    }

    /// Returns the session with a credential that hasn't expired, and starts an early refresh if one is due.
    func usable(
        _ session: HeldSession,
        at now: Timestamp
    ) async throws(LatchkeyError) -> HeldSession {
        guard session.handle.isPair else { return session }
        guard let pair = session.stored.pair, isUsable(pair, at: now) else {
            return try await keeper.access(fresherThan: session)
        }
        if now >= pair.renewAt { maintenance.refreshTokens(of: session) }
        return session
    }

    /// Returns whether a token hasn't expired and, if the app requires this, is bound to the device's key.
    private func isUsable(_ pair: TokenPair, at now: Timestamp) -> Bool {
        now < pair.expiresAt && (pair.isBound || !needsBinding)
    }

    /// Sends a request with a session's current credential, or with the session token if the request is for
    /// one of the identity server's routes.
    ///
    /// If the token is bound and the server responds with a nonce or another time, the request is repeated once with
    /// them.
    ///
    /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/proofRejected`` if the server also rejects the
    ///   repeated request's proof.
    private func send(
        _ request: HTTP.Request,
        to origin: String,
        as session: HeldSession,
        route: SessionRoute?,
        provesKey: Bool = false,
        limits: RequestLimits
    ) async throws(LatchkeyError) -> HTTP.Response {
        let pair = session.boundPair(at: route)
        let token = pair?.access ?? session.bearer(at: route)
        let scheme = pair == nil ? "Bearer" : AccessTokenType.dpop.rawValue
        var request = request
        request.headers["Authorization"] = "\(scheme) \(token.exposed)"
        api.headers.identify(&request)
        guard pair != nil || (provesKey && route == .other) else {
            return try await exchange(request, at: origin, limits: limits)
        }
        var mayRepeat = true
        while true {
            let proof = try await proofs.proof(
                for: request,
                at: origin,
                token: token,
                key: session.stored.key
            )
            request.headers[DPoPProof.header] = proof.text
            let answer = try await exchange(request, at: origin, limits: limits)
            proofs.note(answer.headers, from: origin)
            guard
                mayRepeat,
                proofs.canBeReplaced(
                    proof,
                    after: answer.status,
                    headers: answer.headers,
                    from: origin
                )
            else {
                if ProofOfPossession.rejectsProof(status: answer.status, headers: answer.headers) {
                    throw .proofRejected
                }
                return answer
            }
            mayRepeat = false
        }
    }

    /// Sends a complete request without repeating it.
    private func exchange(
        _ request: HTTP.Request,
        at origin: String,
        limits: RequestLimits
    ) async throws(LatchkeyError) -> HTTP.Response {
        guard !Task.isCancelled else { throw .cancelled }
        do throws(TransportError) {
            return try await transport.send(request, to: origin, limits: limits)
        } catch {
            throw LatchkeyError(transport: error)
        }
    }
}
