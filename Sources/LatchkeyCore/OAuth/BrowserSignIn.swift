import LatchkeyModel
import LatchkeyWire

/// Logs users in with the pages of an OpenID provider in a browser.
///
/// The login is pending from the moment at which the browser opens until the provider's answer arrives. Pending
/// logins are stored, so that an answer that arrives after a restart of the app completes the login, too.
package final class BrowserSignIn: Sendable {
    private typealias Answers = AsyncStream<AuthorizationResponse>
    private typealias Rule = @Sendable (AuthorizationResponse) -> Bool

    /// A login that this process waits for.
    private struct Waiting: Sendable {
        let accepts: Rule
        let continuation: Answers.Continuation
    }

    private let registration: ClientRegistration
    private let redirects: [RedirectAddress]
    private let directory: ProviderDirectory
    private let completion: GrantCompletion
    private let provider: ProviderAPI
    private let keeper: SessionKeeper
    private let records: SideRecords
    private let headers: ClientHeaders
    private let time: any TimeSource
    private let random: any RandomSource
    /// The logins that this process waits for, by their state.
    private let waiting = Locked<[Secret: Waiting]>([:])

    init(
        _ registration: ClientRegistration,
        directory: ProviderDirectory,
        completion: GrantCompletion,
        provider: ProviderAPI,
        keeper: SessionKeeper,
        records: SideRecords,
        headers: ClientHeaders,
        time: any TimeSource,
        random: any RandomSource
    ) {
        self.registration = registration
        redirects = registration.redirectURIs.compactMap { RedirectAddress($0) }
        self.directory = directory
        self.completion = completion
        self.provider = provider
        self.keeper = keeper
        self.records = records
        self.headers = headers
        self.time = time
        self.random = random
    }

    /// Creates the parts of browser logins for an engine.
    convenience init(
        _ registration: ClientRegistration,
        verifier: any SignatureVerifier,
        api: IdentityAPI,
        keeper: SessionKeeper,
        completion: LoginCompletion,
        records: SideRecords,
        time: any TimeSource,
        random: any RandomSource
    ) {
        let provider = ProviderAPI(headers: api.headers, transport: api.transport)
        let directory = ProviderDirectory(
            issuer: registration.issuer ?? api.server.base,
            api: provider,
            time: time
        )
        self.init(
            registration,
            directory: directory,
            completion: GrantCompletion(
                client: registration.id,
                directory: directory,
                provider: provider,
                api: api,
                completion: completion,
                verifier: verifier,
                time: time
            ),
            provider: provider,
            keeper: keeper,
            records: records,
            headers: api.headers,
            time: time,
            random: random
        )
    }

    // MARK: Logging in

    /// Logs in, and replaces the current session, if there is one.
    ///
    /// - Parameters:
    ///   - browser: Opens the provider's page.
    ///   - options: What the app asks of the login.
    ///   - persistence: Where to store the session.
    /// - Returns: The new session.
    /// - Throws: ``LatchkeyError``. If there is already a session, it isn't changed.
    package func callAsFunction(
        in browser: any BrowserHandOff,
        options: AuthorizationOptions,
        persistence: Persistence = .device
    ) async throws(LatchkeyError) -> UserSession {
        let attempt = keeper.beginAttempt(persistence: persistence)
        return try await keeper.run(attempt) { [self] () async throws(LatchkeyError) in
            try await keeper.requireStorage()
            let metadata = try await directory.metadata()
            let visit = try await browser.prepare()
            defer { visit.end() }
            let login = pending(at: visit.redirectURI, options: options)
            let accepts = Self.rule(for: login, at: metadata)
            let answers = Answers.makeStream(bufferingPolicy: .bufferingOldest(1))
            waiting.withLock {
                $0[login.state] = Waiting(accepts: accepts, continuation: answers.continuation)
            }
            defer { waiting.withLock { $0[login.state] = nil } }
            try await change { $0.add(login) }
            do throws(LatchkeyError) {
                let address = try await address(of: login, options: options, at: metadata)
                let answer = try await answer(
                    to: login,
                    visiting: address,
                    in: visit,
                    or: answers.stream,
                    accepting: accepts
                )
                guard let taken = try await take(answer) else { throw Self.expired }
                return try await completion.complete(taken, with: answer, attempt: attempt)
            } catch {
                // A login that failed can't be continued by a late answer.
                _ = try? await change { $0.take(login.state) }
                throw error
            }
        }
    }

    /// Returns a new pending login.
    private func pending(at redirectURI: String, options: AuthorizationOptions) -> PendingLogin {
        PendingLogin(
            state: Secret(Base64URL.encode(random.bytes(32))),
            verifier: CodeVerifier(random: random),
            nonce: Secret(Base64URL.encode(random.bytes(32))),
            redirectURI: redirectURI,
            issuer: directory.issuer,
            scopes: options.scopes.union(["openid"]),
            maxAge: options.maxAge,
            expiresAt: time.now + SideRecordKind.pendingAuthorizations.lifespan
        )
    }

    /// Returns the address of the page, after the request has been pushed if the provider supports it.
    private func address(
        of login: PendingLogin,
        options: AuthorizationOptions,
        at metadata: ProviderMetadata
    ) async throws(LatchkeyError) -> String {
        let request = AuthorizationRequest(
            login,
            client: registration.id,
            options: options,
            languages: headers.languages.tags
        )
        guard let endpoint = metadata.pushedRequestEndpoint else {
            return request.address(at: metadata.authorizationEndpoint)
        }
        let form = HTTP.Request(form: request.parameters, to: endpoint.path)
        switch try await provider.post(form, to: endpoint, for: PushedRequestBody.self) {
        case .success(let pushed):
            return AuthorizationRequest.address(
                at: metadata.authorizationEndpoint,
                [("client_id", registration.id), ("request_uri", pushed.requestURI)]
            )
        case .failure(let refusal):
            throw LatchkeyError(.refused, message: refusal.description, cause: refusal)
        }
    }

    /// Opens the page, and returns the provider's answer.
    private func answer(
        to login: PendingLogin,
        visiting address: String,
        in visit: any BrowserVisit,
        or answers: Answers,
        accepting accepts: @escaping Rule
    ) async throws(LatchkeyError) -> AuthorizationResponse {
        let redirect = RedirectAddress(login.redirectURI)
        let read = { @Sendable (url: String) in
            redirect?.query(of: url).flatMap { AuthorizationResponse(query: $0) }
                .flatMap { accepts($0) ? $0 : nil }
        }
        if let url = try await visit.open(address, until: { read($0) != nil }) {
            guard let answer = read(url) else {
                throw LatchkeyError(.invalidAnswer, message: "The browser returned with another request.")
            }
            return answer
        }
        for await answer in answers { return answer }
        throw .cancelled
    }

    // MARK: Answers

    /// Passes on a URL with which the app was opened.
    ///
    /// - Parameter url: The URL, which may come from any program.
    /// - Returns: Whether the URL leads to an address of this client. An answer that no login waits for has no
    ///   effect.
    package func receive(_ url: String) -> Bool {
        guard let query = redirects.lazy.compactMap({ $0.query(of: url) }).first else { return false }
        guard let answer = AuthorizationResponse(query: query) else { return true }
        if let waiting = waiting.withLock({ $0[answer.state] }) {
            if waiting.accepts(answer) { waiting.continuation.yield(answer) }
        } else {
            Task { await resume(answer) }
        }
        return true
    }

    /// Completes a login that another process, or this app before its restart, has begun.
    private func resume(_ answer: AuthorizationResponse) async {
        do throws(LatchkeyError) {
            guard let login = try await take(answer) else { return }
            let attempt = keeper.beginAttempt()
            _ = try await keeper.run(attempt) { [completion] () async throws(LatchkeyError) in
                try await completion.complete(login, with: answer, attempt: attempt)
            }
        } catch {
            // The user can log in again.
        }
    }

    // MARK: Pending logins

    /// Removes and returns the login that an answer belongs to, which happens once over all processes.
    ///
    /// The answer of another provider leaves it in place (RFC 9207, section 2.4).
    ///
    /// - Returns: The login, or `nil` if there is none, or if it has expired or is already completed.
    private func take(_ answer: AuthorizationResponse) async throws(LatchkeyError) -> PendingLogin? {
        let metadata = try await directory.metadata()
        return try await change { logins in
            guard let login = logins.logins.first(where: { $0.state == answer.state }),
                Self.rule(for: login, at: metadata)(answer)
            else { return nil }
            return logins.take(answer.state)
        }
    }

    /// Returns the rule for the answers to a login: they have its state, and name its provider.
    ///
    /// A provider that announces it names itself in every answer, so that the answer of another one to which the
    /// user was led can't be mistaken for its (RFC 9207, section 2.4).
    private static func rule(for login: PendingLogin, at metadata: ProviderMetadata) -> Rule {
        { answer in
            answer.state == login.state
                && answer.issuer.map { $0.hasSameBytes(as: login.issuer) } ?? !metadata.namesItself
        }
    }

    private func change<Value: Sendable>(
        _ change: @escaping @Sendable (inout PendingLogins) -> Value
    ) async throws(LatchkeyError) -> Value {
        let now = time.now
        return try await records.update(.pendingAuthorizations) { bytes in
            var logins = PendingLogins(decoding: bytes, at: now)
            defer { bytes = logins.encoded }
            return change(&logins)
        }
    }

    private static let expired = LatchkeyError(
        .flowExpired,
        message: "The login has expired, or was completed already. Log in again."
    )
}
