import LatchkeyModel
import LatchkeyWire

/// Requests to the token endpoint of an OpenID provider, and to the endpoint that revokes tokens.
///
/// All methods throw ``LatchkeyError``. If the provider has rejected a request, `cause` is its ``TokenRefusal``.
struct ProviderTokens: GrantProvider {
    let client: String
    let directory: ProviderDirectory
    private let provider: ProviderAPI
    private let signer: DeviceSigner
    private let time: any TimeSource

    init(
        client: String,
        directory: ProviderDirectory,
        provider: ProviderAPI,
        signer: DeviceSigner,
        time: any TimeSource
    ) {
        (self.client, self.directory, self.provider) = (client, directory, provider)
        (self.signer, self.time) = (signer, time)
    }

    var clock: ServerClock { provider.clock }

    // MARK: Logging in

    /// Returns the address at which a request is answered, after it was pushed if the provider supports it (RFC 9126).
    ///
    /// If the provider binds tokens, the code is bound to the key (RFC 9449, section 10).
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - key: The key of the login.
    ///   - scheme: The scheme of the app that answers the request, or `nil` for the provider's page. The request is
    ///     then always pushed, because another program can be registered for the scheme.
    /// - Returns: The address.
    /// - Throws: ``LatchkeyError`` if the provider has rejected the request.
    func address(
        of request: AuthorizationRequest,
        key: StoredKey,
        inApp scheme: String? = nil
    ) async throws(LatchkeyError) -> AuthorizationAddress {
        let metadata = try await directory.metadata()
        guard let endpoint = metadata.pushedRequestEndpoint else {
            guard scheme == nil else {
                throw LatchkeyError(.refused, message: "The provider does not support pushed requests.")
            }
            var request = request
            if metadata.bindsTokens { request.bind(to: try await signer.thumbprint(of: key)) }
            return AuthorizationAddress(text: request.address(at: metadata.authorizationEndpoint))
        }
        let body = try await post(
            HTTP.Request(form: request.parameters, to: endpoint.path),
            to: endpoint,
            key: metadata.bindsTokens ? key : nil,
            for: PushedRequestBody.self
        )
        let parameters = [("client_id", client), ("request_uri", body.requestURI)]
        let text =
            if let scheme { AuthorizationAddress.text(inApp: scheme, parameters) } else {
                AuthorizationRequest.address(at: metadata.authorizationEndpoint, parameters)
            }
        return AuthorizationAddress(text: text, requestURI: Secret(body.requestURI))
    }

    /// Withdraws a pushed request that isn't wanted anymore, so that it can't be approved.
    ///
    /// Other providers ignore this, because it is an extension of our server.
    func withdraw(_ requestURI: Secret, key: StoredKey) async throws(LatchkeyError) {
        guard let endpoint = try await directory.revocationEndpoint() else { return }
        let isBound = try await directory.metadata().bindsTokens
        let form = HTTP.Request(
            form: [("token", requestURI.exposed), ("client_id", client)],
            to: endpoint.path
        )
        _ = try await post(form, to: endpoint, key: isBound ? key : nil, for: RevocationBody.self)
    }

    /// Redeems the code of a login for a grant.
    func redeem(_ code: Secret, of login: PendingLogin) async throws(LatchkeyError) -> OAuthGrant {
        let request = TokenRequest.redeem(
            code: code,
            verifier: login.verifier.secret,
            redirectURI: login.redirectURI,
            client: client
        )
        guard login.issuer.hasSameBytes(as: directory.issuer) else { throw .ofAnotherProvider }
        let isBinding = try await directory.metadata().bindsTokens
        let start = time.now
        let body = try await postUntilAnswered(
            request,
            key: isBinding ? login.key : nil,
            for: GrantBody.self
        )
        guard let type = AccessTokenType(body.tokenType), isBinding || type == .bearer else {
            throw LatchkeyError(.invalidResponse, message: "The provider's access token has an unknown type.")
        }
        return OAuthGrant(
            pair: TokenPair(body, isBound: type == .dpop, receivedAt: start),
            issuer: login.issuer,
            client: client,
            scopes: body.scopes ?? login.scopes,
            idToken: body.idToken
        )
    }

    /// Exchanges a grant for a session, which only a first-party client of the identity server can do.
    func openSession(with grant: OAuthGrant, key: StoredKey) async throws(LatchkeyError) -> Secret {
        let request = TokenRequest.openSession(accessToken: grant.pair.access, client: client)
        return try await postUntilAnswered(request, key: key, for: GrantSessionBody.self).token
    }

    /// Sends a request to the token endpoint, and once more if the answer is lost.
    ///
    /// The second request completes the login if the first one didn't arrive. Otherwise, our server ends the grant of
    /// a code that is presented again, and a session that is opened again gets a new token, so no lost answer leaves
    /// a grant or a session without an owner. Other providers should end such a grant (RFC 6749, section 4.1.2).
    private func postUntilAnswered<Body: AnswerBody & Decodable & Sendable>(
        _ request: TokenRequest,
        key: StoredKey?,
        for type: Body.Type
    ) async throws(LatchkeyError) -> Body {
        let endpoint = try await directory.metadata().tokenEndpoint
        do throws(LatchkeyError) {
            return try await post(request.httpRequest, to: endpoint, key: key, for: type)
        } catch  where error.isLostAnswer {
            return try await post(request.httpRequest, to: endpoint, key: key, for: type)
        }
    }

    /// Sends a form, and once more if the provider asks for another nonce.
    private func post<Body: AnswerBody & Decodable & Sendable>(
        _ form: HTTP.Request,
        to endpoint: WebAddress,
        key: StoredKey?,
        for type: Body.Type
    ) async throws(LatchkeyError) -> Body {
        let now = clock.now(at: endpoint.origin)
        var reply = try await post(form, to: endpoint, key: key, issuedAt: now, nonce: nil, for: type)
        if case .failure(let refusal) = reply.outcome, refusal.code == .useDPoPNonce, reply.nonce != nil {
            reply = try await post(form, to: endpoint, key: key, issuedAt: now, nonce: reply.nonce, for: type)
        }
        switch reply.outcome {
        case .success(let body): return body
        case .failure(let refusal):
            throw LatchkeyError(.refused, message: refusal.description, cause: refusal)
        }
    }

    private func post<Body: AnswerBody & Decodable & Sendable>(
        _ form: HTTP.Request,
        to endpoint: WebAddress,
        key: StoredKey?,
        issuedAt: Timestamp,
        nonce: String?,
        for type: Body.Type
    ) async throws(LatchkeyError) -> OAuthReply<Body> {
        var proof: String?
        if let key {
            proof = try await signer.proof(
                forPostTo: endpoint.origin + endpoint.path,
                issuedAt: issuedAt,
                nonce: nonce,
                by: key
            )
        }
        return try await provider.post(form, to: endpoint, proof: proof, for: type)
    }

    // MARK: Refreshing

    func refresh(
        _ grant: OAuthGrant,
        key: StoredKey,
        with context: TokenRenewal.ProofContext
    ) async throws(LatchkeyError) -> OAuthReply<TokenPair> {
        try requireIssuer(of: grant)
        guard let refresh = grant.pair.refresh else { throw .notRefreshable }
        let start = time.now
        let reply = try await post(
            TokenRequest.refresh(refresh, client: grant.client).httpRequest,
            to: try await directory.metadata().tokenEndpoint,
            key: grant.pair.isBound ? key : nil,
            issuedAt: context.providerTime,
            nonce: context.nonce,
            for: GrantBody.self
        )
        switch reply.outcome {
        case .failure(let refusal): return OAuthReply(outcome: .failure(refusal), nonce: reply.nonce)
        case .success(let body):
            // If we accepted a bearer token instead of a bound one, a stolen token could be used without the key.
            guard AccessTokenType(body.tokenType) == (grant.pair.isBound ? .dpop : .bearer) else {
                throw LatchkeyError(
                    .refused,
                    message: "The provider has issued an access token of another type than before."
                )
            }
            var pair = TokenPair(body, isBound: grant.pair.isBound, receivedAt: start)
            // A provider that doesn't issue a new refresh token accepts the old one again (RFC 6749, section 6).
            if pair.refresh == nil {
                pair = TokenPair(body, refresh: refresh, isBound: pair.isBound, receivedAt: start)
            }
            return OAuthReply(outcome: .success(pair), nonce: reply.nonce)
        }
    }

    func isEnded(_ grant: OAuthGrant) async throws(LatchkeyError) -> Bool {
        try requireIssuer(of: grant)
        guard let endpoint = try await directory.metadata().userInfoEndpoint, !grant.pair.isBound else {
            throw .notRefreshable
        }
        let request = HTTP.Request(
            .get,
            endpoint.path,
            query: endpoint.query,
            headers: ["Authorization": "Bearer \(grant.pair.access.exposed)"]
        )
        let response = try await provider.send(request, to: endpoint)
        let challenge = response.headers["WWW-Authenticate"] ?? ""
        return response.status == 401 && challenge.contains("invalid_token")
    }

    // MARK: Revoking

    func revoke(_ token: Secret, of issuer: String, client: String) async throws(LatchkeyError) {
        guard issuer.hasSameBytes(as: directory.issuer) else { throw .ofAnotherProvider }
        guard let endpoint = try await directory.revocationEndpoint() else { return }
        let form = HTTP.Request(form: [("token", token.exposed), ("client_id", client)], to: endpoint.path)
        let response = try await provider.send(form, to: endpoint)
        // The client has no use for the body.
        guard response.status == 200 || response.status == 204 else {
            throw LatchkeyError(rejection: response)
        }
    }

    private func requireIssuer(of grant: OAuthGrant) throws(LatchkeyError) {
        guard grant.issuer.hasSameBytes(as: directory.issuer) else { throw .ofAnotherProvider }
    }
}

extension TokenPair {
    /// The time for which tokens without a stated lifetime are used.
    private static let assumedLifespan: Duration = .seconds(600)

    /// Creates a pair from the response to a client.
    ///
    /// - Parameters:
    ///   - body: The response.
    ///   - refresh: The refresh token if the response has none.
    ///   - isBound: Whether the access token is bound to the device's key.
    ///   - start: When the request was sent.
    fileprivate init(
        _ body: GrantBody,
        refresh: Secret? = nil,
        isBound: Bool,
        receivedAt start: Timestamp
    ) {
        self.init(
            access: body.accessToken,
            refresh: body.refreshToken ?? refresh,
            lifespan: body.expiresIn.map { .seconds(min(max($0, 1), 31_536_000)) }
                ?? Self.assumedLifespan,
            receivedAt: start,
            isBound: isBound
        )
    }
}

extension LatchkeyError {
    /// Whether a request may have arrived although there is no response.
    var isLostAnswer: Bool { code == .unreachable || code == .timedOut }

    fileprivate static let ofAnotherProvider = LatchkeyError(
        .refused,
        message: "The login belongs to another provider than the one that the app is registered at."
    )

    fileprivate static let notRefreshable = LatchkeyError(
        .refused,
        message: "The provider has issued no refresh token, and does not tell whether the login has ended."
    )
}
