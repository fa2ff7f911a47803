import LatchkeyModel
import LatchkeyWire

/// Turns a provider's answer into a session: redeems the code, checks the ID token, and exchanges the grant.
struct GrantCompletion: Sendable {
    private let client: String
    private let directory: ProviderDirectory
    private let provider: ProviderAPI
    private let api: IdentityAPI
    private let completion: LoginCompletion
    private let verifier: any SignatureVerifier
    private let time: any TimeSource

    init(
        client: String,
        directory: ProviderDirectory,
        provider: ProviderAPI,
        api: IdentityAPI,
        completion: LoginCompletion,
        verifier: any SignatureVerifier,
        time: any TimeSource
    ) {
        self.client = client
        self.directory = directory
        self.provider = provider
        self.api = api
        self.completion = completion
        self.verifier = verifier
        self.time = time
    }

    /// Completes a login.
    ///
    /// - Parameters:
    ///   - login: The login, which has been taken from the pending ones.
    ///   - answer: The provider's answer to it.
    ///   - attempt: The attempt that stores the session.
    /// - Returns: The stored session.
    /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/dismissed`` if the user has refused.
    func complete(
        _ login: PendingLogin,
        with answer: AuthorizationResponse,
        attempt: LoginAttempt
    ) async throws(LatchkeyError) -> UserSession {
        let code: Secret
        switch answer.answer {
        case .code(let given): code = given
        case .error("access_denied", _):
            throw LatchkeyError(.dismissed, message: "The login was refused in the browser.")
        case .error(let error, let description):
            let reason = description.map { ": \($0)" } ?? ""
            throw LatchkeyError(.refused, message: "The provider rejected the login (\(error))\(reason)")
        }
        let metadata = try await directory.metadata()
        return try await completion.withNewKey { key throws(LatchkeyError) in
            let grant = try await redeem(code, of: login, key: key, at: metadata)
            let subject = try await subject(of: grant, for: login)
            let token = try await openSession(with: grant, key: key, at: metadata)
            let session = try await session(of: token, ownedBy: subject)
            return try await completion.complete(
                Authentication(token: token, session: session),
                key: key,
                onlyAs: nil,
                attempt: attempt
            )
        }
    }

    /// Returns the session of a token, which is revoked if it can't be used.
    private func session(
        of token: Secret,
        ownedBy subject: String
    ) async throws(LatchkeyError) -> UserSession {
        do throws(LatchkeyError) {
            let session = try await api.whoami(token)
            guard session.identity.id == subject else {
                throw LatchkeyError(
                    .identityMismatch,
                    message: "The session belongs to a different account than the ID token."
                )
            }
            return session
        } catch {
            completion.discard(token)
            throw error
        }
    }

    private func redeem(
        _ code: Secret,
        of login: PendingLogin,
        key: PendingKey,
        at metadata: ProviderMetadata
    ) async throws(LatchkeyError) -> GrantBody {
        let request = TokenRequest.redeem(
            code: code,
            verifier: login.verifier.secret,
            redirectURI: login.redirectURI,
            client: client
        )
        return try await post(request, key: key, to: metadata.tokenEndpoint, for: GrantBody.self)
    }

    /// Exchanges the grant for a session, which only a first-party client of the identity server can do.
    private func openSession(
        with grant: GrantBody,
        key: PendingKey,
        at metadata: ProviderMetadata
    ) async throws(LatchkeyError) -> Secret {
        let request = TokenRequest.openSession(accessToken: grant.accessToken, client: client)
        let body = try await post(
            request,
            key: key,
            to: metadata.tokenEndpoint,
            for: GrantSessionBody.self
        )
        return body.token
    }

    /// Returns the id of the user in the ID token.
    private func subject(
        of grant: GrantBody,
        for login: PendingLogin
    ) async throws(LatchkeyError) -> String {
        guard let text = grant.idToken, let token = IDToken(text),
            try await directory.hasSigned(token, verifier: verifier)
        else {
            throw LatchkeyError(.untrusted, message: "The ID token is missing or its signature is not valid.")
        }
        let check = IDTokenCheck(
            issuer: login.issuer,
            client: client,
            nonce: login.nonce,
            maxAge: login.maxAge,
            now: api.clock.now()
        )
        do throws(IDTokenCheck.Failure) {
            return try check.subject(of: token.claims, accessToken: grant.accessToken)
        } catch {
            throw LatchkeyError(
                .untrusted,
                message: "The ID token does not belong to this login (\(error.rawValue))."
            )
        }
    }

    /// Sends a request to the token endpoint, and once more if the answer is lost.
    ///
    /// The second request completes the login if the first one didn't arrive. Otherwise, a code that is presented
    /// again ends its grant, and a session that is opened again gets a new token, so no lost answer leaves a grant
    /// or a session without an owner.
    private func post<Body: AnswerBody & Decodable>(
        _ request: TokenRequest,
        key: PendingKey,
        to endpoint: WebAddress,
        for type: Body.Type
    ) async throws(LatchkeyError) -> Body {
        do throws(LatchkeyError) {
            return try await postOnce(request, key: key, to: endpoint, for: type)
        } catch  where error.code == .unreachable || error.code == .timedOut {
            return try await postOnce(request, key: key, to: endpoint, for: type)
        }
    }

    private func postOnce<Body: AnswerBody & Decodable>(
        _ request: TokenRequest,
        key: PendingKey,
        to endpoint: WebAddress,
        for type: Body.Type
    ) async throws(LatchkeyError) -> Body {
        let proof = try await key.proof(forPostTo: endpoint.origin + endpoint.path)
        switch try await provider.post(request.httpRequest, to: endpoint, proof: proof, for: type) {
        case .success(let body): return body
        case .failure(let refusal):
            throw LatchkeyError(.refused, message: refusal.description, cause: refusal)
        }
    }
}
