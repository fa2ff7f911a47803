import LatchkeyModel
import LatchkeyWire

/// Turns a provider's answer into a session: redeems the code, checks the ID token, and exchanges the grant.
struct GrantCompletion: Sendable {
    let tokens: ProviderTokens
    /// Whether the provider is the identity server, whose grants are exchanged for sessions.
    private let opensSessions: Bool
    private let api: IdentityAPI
    private let completion: LoginCompletion
    private let verifier: any SignatureVerifier

    init(
        tokens: ProviderTokens,
        opensSessions: Bool,
        api: IdentityAPI,
        completion: LoginCompletion,
        verifier: any SignatureVerifier
    ) {
        self.tokens = tokens
        self.opensSessions = opensSessions
        self.api = api
        self.completion = completion
        self.verifier = verifier
    }

    /// Completes a login, from the point that it has reached.
    ///
    /// - Parameters:
    ///   - login: The login, for which the provider has answered.
    ///   - attempt: The attempt that stores the session.
    ///   - save: Stores the progress of the login, so that it can be continued after a restart.
    /// - Returns: The stored session.
    /// - Throws: ``LatchkeyError``. The grant and the session that the provider may have created aren't revoked.
    func complete(
        _ login: PendingLogin,
        attempt: LoginAttempt,
        saving save: (PendingLogin.Progress) async -> Void
    ) async throws(LatchkeyError) -> UserSession {
        switch login.progress {
        case .waiting, .failed:
            throw LatchkeyError(.invalidResponse, message: "The provider has not answered yet.")
        case .answered(let code):
            let grant = try await tokens.redeem(code, of: login)
            return try await continueLogin(
                login,
                at: .granted(grant),
                attempt: attempt,
                saving: save
            )
        case .granted(let grant):
            let claims = try await claims(of: grant, for: login)
            guard opensSessions else {
                let session = UserSession(claims)
                return try await completion.complete(
                    grant,
                    session: session,
                    key: login.key,
                    attempt: attempt
                )
            }
            let token = try await tokens.openSession(with: grant, key: login.key)
            let progress = PendingLogin.Progress.opened(token: token, subject: claims["sub"]?.text ?? "")
            return try await continueLogin(
                login,
                at: progress,
                attempt: attempt,
                saving: save
            )
        case .opened(let token, let subject):
            let session = try await api.whoami(token)
            guard session.identity.id == subject else {
                throw LatchkeyError(
                    .identityMismatch,
                    message: "The session belongs to a different account than the ID token."
                )
            }
            return try await completion.complete(
                Authentication(token: token, session: session),
                key: completion.pendingKey(login.key),
                onlyAs: nil,
                attempt: attempt
            )
        }
    }

    /// Stores the progress of a login, and continues there.
    private func continueLogin(
        _ login: PendingLogin,
        at progress: PendingLogin.Progress,
        attempt: LoginAttempt,
        saving save: (PendingLogin.Progress) async -> Void
    ) async throws(LatchkeyError) -> UserSession {
        await save(progress)
        var login = login
        login.progress = progress
        return try await complete(login, attempt: attempt, saving: save)
    }

    /// Returns the claims of the ID token, which belongs to the login.
    private func claims(
        of grant: OAuthGrant,
        for login: PendingLogin
    ) async throws(LatchkeyError) -> JSONValue {
        guard let text = grant.idToken, let token = IDToken(text),
            try await tokens.directory.hasSigned(token, verifier: verifier)
        else {
            throw LatchkeyError(.untrusted, message: "The ID token is missing or its signature is not valid.")
        }
        let check = IDTokenCheck(
            issuer: login.issuer,
            client: tokens.client,
            nonce: login.nonce,
            maxAge: login.maxAge,
            now: tokens.clock.now()
        )
        do throws(IDTokenCheck.Failure) {
            _ = try check.subject(of: token.claims, accessToken: grant.pair.access)
        } catch {
            throw LatchkeyError(
                .untrusted,
                message: "The ID token does not belong to this login (\(error.rawValue))."
            )
        }
        return token.claims
    }

    // MARK: Revoking

    /// Ends what a login that won't be completed has left at the provider.
    ///
    /// - Parameter encoded: The encoded login.
    /// - Returns: `true` unless a session or a grant may be left.
    func revoke(_ encoded: Secret) async -> Bool {
        guard let login = PendingLogin(decoding: encoded) else { return true }
        guard login.issuer.hasSameBytes(as: tokens.directory.issuer) else { return false }
        do throws(LatchkeyError) {
            switch login.progress {
            case .waiting, .failed: break
            case .answered(let code):
                // If the code was redeemed already, presenting it again ends its grant, at least at our server.
                try await revoke(try await tokens.redeem(code, of: login), key: login.key)
            case .granted(let grant): try await revoke(grant, key: login.key)
            case .opened(let token, _): try await api.logOut(token)
            }
        } catch {
            let isOver =
                error.cause is TokenRefusal || (error.cause as? ServerRefusal)?.endsSessionToRevoke == true
            guard isOver else { return false }
        }
        completion.removeKey(login.key)
        return true
    }

    private func revoke(_ grant: OAuthGrant, key: StoredKey) async throws(LatchkeyError) {
        if opensSessions {
            do throws(LatchkeyError) {
                // The grant may have been exchanged already, and ends with the session.
                return try await api.logOut(try await tokens.openSession(with: grant, key: key))
            } catch  where error.cause is TokenRefusal {
                // The grant isn't one that can be exchanged.
            }
        }
        try await tokens.revoke(
            grant.pair.refresh ?? grant.pair.access,
            of: grant.issuer,
            client: grant.client
        )
    }
}

extension UserSession {
    /// Creates the session of a user of another provider from the claims of an ID token.
    fileprivate init(_ claims: JSONValue) {
        var traits = Traits()
        traits.phone = claims["phone_number"]?.text.flatMap { PhoneNumber($0) }
        traits.email = claims["email"]?.text.flatMap { EmailAddress($0) }
        if let first = claims["given_name"]?.text, let last = claims["family_name"]?.text {
            traits.name = PersonName(first: first, last: last)
        }
        let time = claims["auth_time"]?.integer ?? claims["iat"]?.integer
        self.init(
            id: claims["sid"]?.text ?? "",
            identity: Identity(id: claims["sub"]?.text ?? "", schema: "", traits: traits),
            authenticatedAt: time.map { Timestamp(seconds: Int64($0)).date }
        )
    }
}
