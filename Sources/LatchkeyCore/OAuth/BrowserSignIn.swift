import LatchkeyModel
import LatchkeyWire

/// Logs users in with the pages of an OpenID provider in a browser.
///
/// A login is pending from the moment at which the browser opens until its session is stored. Pending logins are
/// stored, so that an answer that arrives after a restart completes the login, too, and a login that is interrupted
/// after the answer is continued at the next start.
package final class BrowserSignIn: Sendable {
    /// How the user has come back from the browser.
    enum Arrival: Sendable {
        /// The provider's answer to a login that replaces another one.
        case answer(AuthorizationResponse, replacing: LoginID?)
        /// Another process has completed the login.
        case completedElsewhere(UserSession)
        /// The login has failed in another process.
        case failedElsewhere(LatchkeyError)
    }

    /// A login that this process waits for.
    struct Waiting: Sendable {
        let login: PendingLogin
        let provider: ProviderMetadata
        let continuation: AsyncStream<Arrival>.Continuation
    }

    private let registration: ClientRegistration
    let redirects: [RedirectAddress]
    let tokens: ProviderTokens
    private let login: LoginCompletion
    let keeper: SessionKeeper
    let logins: PendingLoginStore
    let completion: PendingLoginCompletion
    let lock: CompletionLock
    private let interrupted: InterruptedLogins
    private let headers: ClientHeaders
    private let time: any TimeSource
    private let random: any RandomSource
    /// The logins that this process waits for, by their state.
    let waiting = Locked<[Secret: Waiting]>([:])
    /// The task that handles the latest answer that no login of this process waits for.
    let late = Locked<Task<Void, Never>?>(nil)

    init(
        _ registration: ClientRegistration,
        grants: GrantCompletion,
        login: LoginCompletion,
        keeper: SessionKeeper,
        records: SideRecords,
        revocations: RevocationOutbox?,
        headers: ClientHeaders,
        time: any TimeSource,
        random: any RandomSource
    ) {
        self.registration = registration
        redirects = registration.redirectURIs.compactMap { RedirectAddress($0) }
        (self.login, self.keeper, self.headers, self.time, self.random) = (
            login, keeper, headers, time, random
        )
        tokens = grants.tokens
        logins = PendingLoginStore(records: records, time: time) { login.removeKey($0) }
        completion = PendingLoginCompletion(
            grants: grants,
            logins: logins,
            keeper: keeper,
            revocations: revocations
        ) { login.removeKey($0) }
        lock = CompletionLock(store: keeper.store)
        interrupted = InterruptedLogins(completion, lock: lock, time: time, random: random)
        keeper.follow { [weak self] change in
            if case .state(.signedIn(let session), _) = change { self?.notice(session) }
        }
    }

    /// Continues the logins that were interrupted after the provider's answer, in the background.
    package func start() {
        interrupted.start()
    }

    /// Waits until interrupted logins and answers of before are handled.
    package func settle() async {
        await interrupted.settle()
        await late.withLock { $0 }?.value
    }

    // MARK: Logging in

    /// Logs in, and replaces the current session, if there is one.
    ///
    /// - Parameters:
    ///   - browser: Opens the provider's page.
    ///   - options: The app's wishes for the login.
    ///   - persistence: Where to store the session.
    /// - Returns: The new session.
    /// - Throws: ``LatchkeyError``. If there is already a session, it isn't changed.
    package func callAsFunction(
        in browser: any BrowserHandOff,
        options: AuthorizationOptions,
        persistence: Persistence = .device
    ) async throws(LatchkeyError) -> UserSession {
        let attempt = keeper.beginAttempt(persistence: persistence)
        let arrival = try await keeper.run(attempt) { [self] () async throws(LatchkeyError) in
            try await visit(browser, options: options, persistence: persistence)
        }
        return try await complete(arrival, attempt: attempt)
    }

    /// Leads the user to the provider's page.
    ///
    /// - Parameters:
    ///   - browser: Opens the page.
    ///   - options: The app's wishes for the login.
    ///   - persistence: Where to store the session.
    /// - Returns: How the user has come back. If the login isn't completed then, it must be forgotten.
    /// - Throws: ``LatchkeyError``.
    func visit(
        _ browser: any BrowserHandOff,
        options: AuthorizationOptions,
        persistence: Persistence = .device
    ) async throws(LatchkeyError) -> Arrival {
        try await keeper.requireStorage()
        let provider = try await tokens.directory.metadata()
        let visit = try await browser.prepare()
        defer { visit.end() }
        let login = try await pending(at: visit.redirectURI, options: options, persistence: persistence)
        let arrivals = AsyncStream<Arrival>.makeStream(bufferingPolicy: .bufferingOldest(1))
        // The login must be stored first, because a waiting login that isn't stored counts as completed.
        do throws(LatchkeyError) {
            try await logins.change { [isInApp = visit.appScheme != nil] logins in
                // The other app shows one request of this app at a time.
                if isInApp { logins.removeWaiting(at: login.redirectURI) }
                logins.add(login)
            }
        } catch {
            self.login.removeKey(login.key)
            throw error
        }
        waiting.withLock {
            $0[login.state] = Waiting(
                login: login,
                provider: provider,
                continuation: arrivals.continuation
            )
        }
        let deadline = time.uptime + PendingLogin.lifespan
        let timer = Task { [time] in
            guard (try? await time.sleep(for: max(deadline - time.uptime, .zero))) != nil else { return }
            arrivals.continuation.finish()
        }
        defer {
            timer.cancel()
            waiting.withLock { $0[login.state] = nil }
        }
        let request = AuthorizationRequest(
            login,
            client: registration.id,
            options: options,
            languages: headers.languages.tags
        )
        var address: AuthorizationAddress?
        do throws(LatchkeyError) {
            let opened = try await tokens.address(of: request, key: login.key, inApp: visit.appScheme)
            address = opened
            return try await arrival(
                for: login,
                at: provider,
                visiting: opened.text,
                in: visit,
                or: arrivals.stream
            )
        } catch {
            // The caller may have been cancelled.
            let requestURI = visit.appScheme == nil ? nil : address?.requestURI
            await Task { await end(login, withdrawing: requestURI) }.value
            throw error
        }
    }

    /// Forgets a login that has failed, so that a late answer can't continue it.
    ///
    /// The key is kept if another process completes the login, or has completed it. Otherwise, it is removed after the
    /// other app can't approve the request anymore.
    private func end(_ login: PendingLogin, withdrawing requestURI: Secret?) async {
        switch (try? await logins.logins())?[login.state]?.progress {
        case .answered, .granted, .opened: return
        case .failed: return await logins.remove(login.state)
        case nil where await completion.standing(of: login) == .own: return
        case .waiting, nil: break
        }
        await logins.forget(login.state, keeping: login.key)
        guard let requestURI else { return self.login.removeKey(login.key) }
        // The caller doesn't have to wait for the provider.
        Task { [tokens, completion = self.login] in
            _ = try? await tokens.withdraw(requestURI, key: login.key)
            completion.removeKey(login.key)
        }
    }

    /// Completes a login after the user has come back, and replaces the current session, if there is one.
    func complete(_ arrival: Arrival) async throws(LatchkeyError) -> UserSession {
        try await complete(arrival, attempt: keeper.beginAttempt())
    }

    private func complete(
        _ arrival: Arrival,
        attempt: LoginAttempt
    ) async throws(LatchkeyError) -> UserSession {
        switch arrival {
        case .completedElsewhere(let session): return session
        case .failedElsewhere(let error): throw error
        case .answer(let answer, let former):
            do throws(LatchkeyError) {
                return try await lock.whileHeld { [self] () async throws(LatchkeyError) in
                    if let login = try await accept(answer, for: attempt) {
                        return try await completion.complete(login, attempt: attempt)
                    }
                    // The desktop may have started another process with the same answer, which was faster.
                    await keeper.ready(again: true)
                    guard let held = keeper.held?.stored, held.login != former else { throw Self.expired }
                    return held.session
                }
            } catch {
                // Otherwise, the same answer could complete the login later, although its failure was reported.
                await logins.forget(answer.state)
                throw error
            }
        }
    }

    /// Forgets a login that isn't wanted anymore after the user has come back.
    func forget(_ arrival: Arrival) async {
        if case .answer(let answer, _) = arrival { await logins.forget(answer.state) }
    }

    /// Returns a new pending login.
    private func pending(
        at redirectURI: String,
        options: AuthorizationOptions,
        persistence: Persistence
    ) async throws(LatchkeyError) -> PendingLogin {
        // If the clock isn't set yet, the login would expire as soon as it is.
        let now = time.now
        return PendingLogin(
            state: Secret(Base64URL.encode(random.bytes(32))),
            verifier: CodeVerifier(random: random),
            key: try await login.newKey(),
            nonce: Secret(Base64URL.encode(random.bytes(32))),
            redirectURI: redirectURI,
            issuer: tokens.directory.issuer,
            scopes: options.scopes.union(["openid"]),
            maxAge: options.maxAge,
            expiresAt: now.isFromClock ? now + PendingLogin.lifespan : .latest,
            persistence: persistence,
            former: keeper.held?.stored.login
        )
    }

    /// Opens the page, and returns the provider's answer.
    private func arrival(
        for login: PendingLogin,
        at provider: ProviderMetadata,
        visiting address: String,
        in visit: any BrowserVisit,
        or arrivals: AsyncStream<Arrival>
    ) async throws(LatchkeyError) -> Arrival {
        let redirect = RedirectAddress(login.redirectURI)
        let read = { @Sendable (url: String) in
            redirect?.query(of: url).flatMap { AuthorizationResponse(query: $0, at: login.redirectURI) }
                .flatMap { login.isAnswered(by: $0, from: provider) ? $0 : nil }
        }
        if let url = try await visit.open(address, until: { read($0) != nil }) {
            guard let answer = read(url) else {
                throw LatchkeyError(.invalidResponse, message: "The browser returned with another request.")
            }
            return .answer(answer, replacing: login.former)
        }
        // The answer may start another process of the app.
        let watch = Task { [weak self, time] in
            while (try? await time.sleep(for: Self.watchInterval)) != nil {
                guard let self else { return }
                await noticeFailures()
            }
        }
        defer { watch.cancel() }
        for await arrival in arrivals {
            if case .failedElsewhere(let error) = arrival { throw error }
            return arrival
        }
        throw Task.isCancelled ? .cancelled : Self.expired
    }

    /// The time between two looks at a login that another process may complete.
    private static let watchInterval = Duration.seconds(1)

    /// Ends the wait for logins that have failed in another process.
    func noticeFailures() async {
        let waiting = waiting.withLock { $0 }
        guard let logins = try? await logins.logins() else { return }
        for (state, waiting) in waiting {
            guard case .failed(let isRefused)? = logins[state]?.progress else { continue }
            let error =
                isRefused
                ? Self.refusal
                : LatchkeyError(.refused, message: "Another process could not complete the login.")
            waiting.continuation.yield(.failedElsewhere(error))
        }
    }

    static let refusal = LatchkeyError(
        .dismissed,
        message: "The login was refused in the browser or the other app."
    )

    static let expired = LatchkeyError(
        .flowExpired,
        message: "The login has expired, or was completed already. Log in again."
    )
}
