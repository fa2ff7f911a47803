import LatchkeyModel
package import LatchkeyWire

/// Support for requests that the app sends with its own network stack.
extension AuthorizedRequests {
    /// Returns the credentials for a request that the app sends itself.
    ///
    /// Like ``send(_:to:limits:onlyAs:)``, this method refreshes an access token that has expired or that the
    /// origin has rejected. A token that expires too soon is also refreshed, unless another refresh has
    /// succeeded or failed within the last minute. In this case, the token is valid for a shorter time than
    /// requested.
    ///
    /// - Parameters:
    ///   - request: The method, path and query of the request.
    ///   - origin: The scheme, host and port. This must be one of the origins that the app lists.
    ///   - minimum: The minimum time that the access token should remain valid.
    /// - Returns: The credentials for the request.
    /// - Throws: ``LatchkeyError`` with the same codes as ``send(_:to:limits:onlyAs:)``.
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
        let route = api.route(of: request, at: origin)
        var session = try await keeper.access()
        if route != nil { _ = try session.token }
        let usesPair = session.usesPair(at: route)
        if usesPair { session = try await lasting(session, for: minimum, at: origin) }
        guard let pair = session.boundPair(at: route) else {
            return RequestAuthorization(
                headers: ["Authorization": "Bearer \(session.bearer(at: route).exposed)"],
                origin: origin,
                expiresAt: usesPair ? session.stored.pair?.expiresAt.date : session.stored.session.expiresAt,
                usesPair: usesPair,
                handle: session.handle,
                proof: nil
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
            expiresAt: pair.expiresAt.date,
            usesPair: true,
            handle: session.handle,
            proof: proof
        )
    }

    /// Sends a request and streams the request and response bodies.
    ///
    /// After a 401 response, the request is repeated as in ``send(_:to:limits:onlyAs:)``, unless the upload
    /// can't be sent again.
    ///
    /// - Parameters:
    ///   - request: The request with its complete path. This method sets the `Authorization` header field.
    ///   - upload: The body to stream, or `nil` to send the request's own body.
    ///   - origin: The scheme, host and port. This must be one of the origins that the app lists.
    ///   - limits: The limits for each exchange with the app's server.
    /// - Returns: The response, regardless of its status.
    /// - Throws: ``LatchkeyError`` with the same codes as ``send(_:to:limits:onlyAs:)``.
    package func stream(
        _ request: HTTP.Request,
        upload: HTTP.Upload?,
        to origin: String,
        limits: RequestLimits
    ) async throws(LatchkeyError) -> HTTP.StreamedResponse {
        // The request may be repeated once with the server's nonce and once with a newer token.
        var repetitions = upload?.isRepeatable == false ? 0 : 2
        while true {
            let authorization = try await authorization(for: request, to: origin, validFor: .seconds(30))
            var request = request
            for field in authorization.headers.fields { request.headers[field.name] = field.value }
            api.headers.identify(&request)
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
            guard mayRepeat, repetitions > 0 else {
                if authorization.proof != nil,
                    ProofOfPossession.rejectsProof(status: answer.status, headers: answer.headers)
                {
                    throw .proofRejected
                }
                return answer
            }
            repetitions -= 1
        }
    }

    /// Processes a response that the app's own network stack has received.
    ///
    /// A 401 response starts a session check or a token refresh in the background. The response never ends
    /// the session directly.
    ///
    /// - Parameters:
    ///   - status: The status of the response.
    ///   - headers: The header fields of the response.
    ///   - authorization: The credentials that the request was sent with.
    /// - Returns: `true` if the app should repeat the request once with new credentials.
    package func report(
        status: Int,
        headers: HTTP.Headers,
        for authorization: RequestAuthorization
    ) -> Bool {
        let (origin, handle) = (authorization.origin, authorization.handle)
        if authorization.proof != nil { proofs.note(headers, from: origin) }
        guard let session = keeper.held, session.handle.login == handle.login else { return false }
        guard status == 401 else {
            if session.handle.version == handle.version, Self.acceptsToken(status) {
                refused.forget(session, at: origin)
            }
            return false
        }
        if let proof = authorization.proof,
            proofs.canBeReplaced(proof, after: status, headers: headers, from: origin)
        {
            return true
        }
        if ProofOfPossession.rejectsProof(status: status, headers: headers) { return false }
        guard authorization.usesPair else {
            maintenance.check(session, refusedBy: origin)
            return false
        }
        // The token may have been refreshed in the meantime.
        guard session.handle.version == handle.version else { return true }
        guard case .refresh = refused.advice(on: session, refusedBy: origin) else { return false }
        maintenance.refreshTokens(of: session)
        return true
    }

    /// Returns the session with a token that the origin hasn't rejected and that is valid for at least the
    /// given time, if possible.
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
            // We can still use the current token, because it hasn't expired.
            default: return session
            }
        }
    }
}
