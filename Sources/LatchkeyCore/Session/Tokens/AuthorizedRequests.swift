import LatchkeyModel
package import LatchkeyWire

/// Sends the app's own requests with the session's credential, and authorizes requests that the app sends
/// itself.
package struct AuthorizedRequests: Sendable {
    private let transport: any Transport
    private let origins: APIOrigins
    private let api: IdentityAPI
    private let keeper: SessionKeeper
    package let maintenance: SessionMaintenance
    private let refused: RefusedTokens
    private let proofs: ProofOfPossession
    private let needsBinding: Bool
    private let time: any TimeSource

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
    ///   - limits: The limits of each exchange with the app's server.
    ///   - account: The id of the only account whose session may be used; `nil` for any.
    /// - Returns: The response, regardless of its status.
    /// - Throws: ``LatchkeyError``: ``LatchkeyError/Code/signedOut`` if there is no session of the account,
    ///   ``LatchkeyError/Code/originNotAllowed``, before any request is sent, if the app does not list the
    ///   origin.
    package func send(
        _ request: HTTP.Request,
        to origin: String,
        limits: RequestLimits = RequestLimits(),
        onlyAs account: String? = nil
    ) async throws(LatchkeyError) -> HTTP.Response {
        let origin = try origins.origin(origin)
        do throws(TransportError) {
            try RequestTarget.check(request)
        } catch {
            throw LatchkeyError(transport: error)
        }
        let now = time.now
        let session = try await usable(keeper.access(), at: now)
        if let account, session.stored.session.identity.id != account { throw .replaced }
        let answer = try await send(request, to: origin, as: session, limits: limits)
        guard answer.status == 401 else {
            if let renewalDate = session.stored.certificate?.renewalDate, now >= renewalDate {
                maintenance.renewCertificate(of: session)
            }
            return answer
        }
        if session.handle.isPair {
            return try await repeated(request, to: origin, refused: session, limits: limits) ?? answer
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
    ///   - limits: The limits of the exchange.
    /// - Returns: The response, or `nil` if the original response stands because the session has ended or
    ///   refreshes for this origin are paused.
    /// - Throws: ``LatchkeyError`` if the identity server could not be asked: the user is still logged in,
    ///   but the 401 would suggest otherwise.
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
        let answer = try await send(request, to: origin, as: fresher, limits: limits)
        if answer.status != 401 { refused.forget(fresher, at: origin) }
        return answer
    }

    /// Returns the session with an unexpired credential, and starts an early refresh when one is due.
    private func usable(
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

    /// Returns whether a token has not expired, and is bound to the device's key if the app demands it.
    private func isUsable(_ pair: TokenPair, at now: Timestamp) -> Bool {
        now < pair.expiresAt && (pair.isBound || !needsBinding)
    }

    /// Sends a request with a session's current credential.
    ///
    /// A request with a bound token is repeated once if the server demands its nonce.
    private func send(
        _ request: HTTP.Request,
        to origin: String,
        as session: HeldSession,
        limits: RequestLimits
    ) async throws(LatchkeyError) -> HTTP.Response {
        guard let pair = session.boundPair else {
            var request = request
            request.headers["Authorization"] = "Bearer \(session.bearer.exposed)"
            return try await exchange(request, at: origin, limits: limits)
        }
        var request = request
        request.headers["Authorization"] = "\(AccessTokenType.dpop.rawValue) \(pair.access.exposed)"
        var mayRepeat = true
        while true {
            let proof = try await proofs.proof(
                for: request,
                at: origin,
                token: pair.access,
                key: session.stored.key
            )
            request.headers[DPoPProof.header] = proof.text
            let answer = try await exchange(request, at: origin, limits: limits)
            proofs.note(answer.headers, from: origin)
            guard
                mayRepeat,
                ProofOfPossession.asksForNonce(
                    status: answer.status,
                    headers: answer.headers,
                    insteadOf: proof.nonce
                )
            else { return answer }
            mayRepeat = false
        }
    }

    /// Sends a complete request once.
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

/// The requests of the app's own network stack.
extension AuthorizedRequests {
    /// Returns the credentials for a request that the app sends itself.
    ///
    /// Like ``send(_:to:limits:)``, it refreshes an access token that has expired or that the origin has rejected. In
    /// addition, it refreshes a token that expires too soon, unless a refresh failed, or succeeded, within the
    /// last minute; the remaining time is then shorter.
    ///
    /// - Parameters:
    ///   - request: The method, the path and the query of the request.
    ///   - origin: Scheme, host and port; must be one of the origins that the app lists.
    ///   - minimum: The time for which an access token should remain valid.
    /// - Returns: The credentials.
    /// - Throws: ``LatchkeyError``, with the same codes as ``send(_:to:limits:)``.
    package func authorization(
        for request: HTTP.Request,
        to origin: String,
        validFor minimum: Duration
    ) async throws(LatchkeyError) -> RequestAuthorization {
        let origin = try origins.origin(origin)
        do throws(TransportError) {
            try RequestTarget.check(request)
        } catch {
            throw LatchkeyError(transport: error)
        }
        let session = try await lasting(keeper.access(), for: minimum, at: origin)
        guard let pair = session.boundPair else {
            return RequestAuthorization(
                headers: ["Authorization": "Bearer \(session.bearer.exposed)"],
                origin: origin,
                expiresAt: session.handle.isPair
                    ? session.stored.pair?.expiresAt : session.stored.session.expiresAt,
                handle: session.handle,
                nonce: nil
            )
        }
        let proof = try await proofs.proof(
            for: request,
            at: origin,
            token: pair.access,
            key: session.stored.key
        )
        return RequestAuthorization(
            headers: [
                "Authorization": "\(AccessTokenType.dpop.rawValue) \(pair.access.exposed)",
                DPoPProof.header: proof.text,
            ],
            origin: origin,
            expiresAt: pair.expiresAt,
            handle: session.handle,
            nonce: proof.nonce
        )
    }

    /// Sends a request whose bodies are sent and received in parts.
    ///
    /// After a 401, the request is repeated as by ``send(_:to:limits:)``, unless its upload cannot be produced
    /// again.
    ///
    /// - Parameters:
    ///   - request: The request, with its complete path; this method sets the `Authorization` header field.
    ///   - upload: The body of the request; `nil` sends the request's own body.
    ///   - origin: Scheme, host and port; must be one of the origins that the app lists.
    ///   - limits: The limits of each exchange with the app's server.
    /// - Returns: The response, regardless of its status.
    /// - Throws: ``LatchkeyError``, with the same codes as ``send(_:to:limits:)``.
    package func stream(
        _ request: HTTP.Request,
        upload: HTTP.Upload?,
        to origin: String,
        limits: RequestLimits
    ) async throws(LatchkeyError) -> HTTP.StreamedResponse {
        // One repetition with the server's nonce, and one with a fresher token.
        var repetitions = upload?.isRepeatable == false ? 0 : 2
        while true {
            let authorization = try await authorization(for: request, to: origin, validFor: .seconds(30))
            var request = request
            for field in authorization.headers.fields { request.headers[field.name] = field.value }
            let answer: HTTP.StreamedResponse
            do throws(TransportError) {
                answer = try await transport.streamOrBuffer(
                    request,
                    upload: upload,
                    to: authorization.origin,
                    limits: limits
                )
            } catch {
                throw LatchkeyError(transport: error)
            }
            let mayRepeat = report(status: answer.status, headers: answer.headers, for: authorization)
            guard mayRepeat, repetitions > 0 else { return answer }
            repetitions -= 1
        }
    }

    /// Records a response that the app's own network stack received.
    ///
    /// A 401 starts a check of the session, or a refresh of its tokens, in the background; it never ends the
    /// session by itself.
    ///
    /// - Parameters:
    ///   - status: The status of the response.
    ///   - headers: The header fields of the response.
    ///   - authorization: The credentials of the request.
    /// - Returns: Whether to repeat the request once, with new credentials.
    package func report(
        status: Int,
        headers: HTTP.Headers,
        for authorization: RequestAuthorization
    ) -> Bool {
        let (origin, handle) = (authorization.origin, authorization.handle)
        let isBound = authorization.headers[DPoPProof.header] != nil
        if isBound { proofs.note(headers, from: origin) }
        guard let session = keeper.held, session.handle.login == handle.login else { return false }
        guard status == 401 else {
            if session.handle.version == handle.version { refused.forget(session, at: origin) }
            return false
        }
        if isBound,
            ProofOfPossession.asksForNonce(
                status: status,
                headers: headers,
                insteadOf: authorization.nonce
            )
        {
            return true
        }
        guard session.handle.isPair else {
            maintenance.check(session, refusedBy: origin)
            return false
        }
        // The token may have been refreshed since.
        guard session.handle.version == handle.version else { return true }
        guard case .refresh = refused.advice(on: session, refusedBy: origin) else { return false }
        maintenance.refreshTokens(of: session)
        return true
    }

    /// Returns the session with a token that the origin has not rejected and that remains valid for a while.
    private func lasting(
        _ session: HeldSession,
        for minimum: Duration,
        at origin: String
    ) async throws(LatchkeyError) -> HeldSession {
        guard session.handle.isPair else { return session }
        if refused.isRefused(session, by: origin) {
            switch refused.advice(on: session, refusedBy: origin) {
            case .accept: break
            case .fail(let error): throw error
            case .refresh:
                do throws(LatchkeyError) {
                    return try await keeper.access(fresherThan: session)
                } catch {
                    if error.code != .cancelled { refused.fail(session, at: origin, with: error) }
                    throw error
                }
            }
        }
        let now = time.now
        let session = try await usable(session, at: now)
        guard let pair = session.stored.pair, pair.expiresAt < now + minimum else { return session }
        do throws(LatchkeyError) {
            return try await maintenance.refreshedTokens(of: session) ?? session
        } catch {
            switch error.code {
            case .signedOut, .cancelled: throw error
            // The current token is still valid.
            default: return session
            }
        }
    }
}

extension HeldSession {
    /// The token pair, if its access token is bound to the device's key and is used for requests.
    fileprivate var boundPair: TokenPair? {
        guard handle.isPair, let pair = stored.pair, pair.isBound else { return nil }
        return pair
    }
}
