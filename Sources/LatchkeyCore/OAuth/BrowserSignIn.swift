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
    }

    /// A login that this process waits for.
    private struct Waiting: Sendable {
        let login: PendingLogin
        let provider: ProviderMetadata
        let continuation: AsyncStream<Arrival>.Continuation
    }

    private let registration: ClientRegistration
    private let redirects: [RedirectAddress]
    private let tokens: ProviderTokens
    private let login: LoginCompletion
    private let keeper: SessionKeeper
    private let logins: PendingLoginStore
    private let completion: PendingLoginCompletion
    private let lock: CompletionLock
    private let interrupted: InterruptedLogins
    private let headers: ClientHeaders
    private let time: any TimeSource
    private let random: any RandomSource
    /// The logins that this process waits for, by their state.
    private let waiting = Locked<[Secret: Waiting]>([:])
    /// The task that handles the latest answer that no login of this process waits for.
    private let late = Locked<Task<Void, Never>?>(nil)

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
        let timer = Task { [time] in
            guard (try? await time.sleep(for: PendingLogin.lifespan)) != nil else { return }
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
            // A login that failed can't be continued by a late answer. A sign-out has already removed it.
            let requestURI = visit.appScheme == nil ? nil : address?.requestURI
            await logins.forget(login.state, keeping: requestURI == nil ? nil : login.key)
            end(login, withdrawing: requestURI)
            throw error
        }
    }

    /// Removes the key of a login that has failed, after the other app can't approve its request anymore.
    private func end(_ login: PendingLogin, withdrawing requestURI: Secret?) {
        guard let requestURI else { return self.login.removeKey(login.key) }
        // The caller may have been cancelled, and doesn't have to wait for the provider.
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
        for await arrival in arrivals { return arrival }
        throw Task.isCancelled ? .cancelled : Self.expired
    }

    // MARK: Answers

    /// Passes on a URL with which the app was opened.
    ///
    /// - Parameters:
    ///   - url: The URL, which may come from any program.
    ///   - redirect: A redirect URI that isn't part of the client's registration, because the app has chosen it later.
    /// - Returns: Whether the URL leads to an address of this client. An answer that no login waits for has no
    ///   effect.
    package func receive(_ url: String, at redirect: RedirectAddress? = nil) -> Bool {
        guard let (query, redirectURI) = match(url, or: redirect) else { return false }
        if let answer = AuthorizationResponse(query: query, at: redirectURI), !pass(on: answer) {
            // One at a time, because any program can send many.
            late.withLock { late in
                late = Task { [previous = late] in
                    await previous?.value
                    await completeInBackground(answer)
                }
            }
        }
        return true
    }

    /// Completes the login that a URL belongs to, with which the app was opened.
    ///
    /// - Parameters:
    ///   - url: The URL, which may come from any program.
    ///   - redirect: A redirect URI that isn't part of the client's registration, because the app has chosen it later.
    /// - Returns: The new session, or `nil` if the URL has no effect, or if this process already waits for it.
    /// - Throws: ``LatchkeyError`` if the login can't be completed.
    package func complete(
        with url: String,
        at redirect: RedirectAddress? = nil
    ) async throws(LatchkeyError) -> UserSession? {
        guard let (query, redirectURI) = match(url, or: redirect),
            let answer = AuthorizationResponse(query: query, at: redirectURI), !pass(on: answer)
        else { return nil }
        return try await completeLate(answer)
    }

    /// Returns the query of a URL, and the redirect URI of this client to which it leads.
    private func match(
        _ url: String,
        or other: RedirectAddress?
    ) -> (query: String, redirectURI: String)? {
        let all = redirects + (other.map { [$0] } ?? [])
        return all.lazy.compactMap { redirect in redirect.query(of: url).map { ($0, redirect.text) } }.first
    }

    /// Passes on an answer to the login of this process that waits for it.
    ///
    /// - Returns: `false` if no login of this process waits for an answer with this state.
    private func pass(on answer: AuthorizationResponse) -> Bool {
        guard let waiting = waiting.withLock({ $0[answer.state] }) else { return false }
        if waiting.login.isAnswered(by: answer, from: waiting.provider) {
            waiting.continuation.yield(.answer(answer, replacing: waiting.login.former))
        }
        return true
    }

    private func completeInBackground(_ answer: AuthorizationResponse) async {
        do throws(LatchkeyError) {
            guard try await completeLate(answer) == nil else { return }
            log(.debug, "An answer that no login waits for was ignored.")
        } catch {
            log(.warning, "The answer to a login could not be used (\(error.code)).")
        }
    }

    private func log(_ level: LogEvent.Level, _ message: String) {
        keeper.logger?.log(LogEvent(level: level, name: "login.answer", message: message))
    }

    /// Completes a login that another process, or this app before its restart, has begun.
    private func completeLate(_ answer: AuthorizationResponse) async throws(LatchkeyError) -> UserSession? {
        // An answer that another program has made up must not wait for the lock, and delay the right one.
        guard try await logins.logins()[answer.state]?.progress == .waiting else { return nil }
        return try await lock.whileHeld { [self] () async throws(LatchkeyError) in
            guard let login = try await logins.logins()[answer.state] else { return nil }
            let standing = await completion.standing(of: login)
            let attempt = keeper.beginAttempt(replacing: login.former, persistence: login.persistence)
            guard BrowserLoginRules.accepts(standing, isAttempting: attempt == nil), let attempt,
                let answered = try await accept(answer, for: attempt)
            else { return nil }
            return try await completion.complete(answered, attempt: attempt)
        }
    }

    /// Notes the provider's answer to a login, which happens once over all processes.
    ///
    /// The answer of another provider leaves the login in place (RFC 9207, section 2.4).
    ///
    /// - Returns: The login, or `nil` if there is none, or if it has expired or was
    ///   answered already.
    /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/dismissed`` if the user has refused.
    private func accept(
        _ answer: AuthorizationResponse,
        for attempt: LoginAttempt
    ) async throws(LatchkeyError) -> PendingLogin? {
        try await keeper.run(attempt) { [tokens, logins] () async throws(LatchkeyError) in
            let provider = try await tokens.directory.metadata()
            let isAnswer = { @Sendable (logins: PendingLogins) in
                logins[answer.state].map {
                    $0.progress == .waiting && $0.isAnswered(by: answer, from: provider)
                } ?? false
            }
            switch answer.answer {
            case .code(let code):
                return try await logins.change { logins in
                    isAnswer(logins) ? logins.advance(answer.state, to: .answered(code: code)) : nil
                }
            case .error(let error, let description):
                guard try await logins.change({ isAnswer($0) ? $0.take(answer.state) : nil }) != nil else {
                    return nil
                }
                throw Self.failure(error, description: description)
            }
        }
    }

    /// Returns the error to report for an error response of the provider (RFC 6749, section 4.1.2.1).
    private static func failure(_ error: String, description: String?) -> LatchkeyError {
        if error == "access_denied" {
            return LatchkeyError(.dismissed, message: "The login was refused in the browser.")
        }
        let reason = description.map { ": \($0)" } ?? ""
        return LatchkeyError(.refused, message: "The provider rejected the login (\(error))\(reason)")
    }

    /// Ends the wait for logins that another process has completed.
    ///
    /// Such a login is removed, or is about to be and has the key of the session. A login that has expired is removed,
    /// too. The session that it would have replaced isn't its result, because the user hasn't logged in again.
    private func notice(_ session: UserSession) {
        let waiting = waiting.withLock { $0 }
        guard !waiting.isEmpty else { return }
        Task {
            guard let logins = try? await logins.logins(), let held = keeper.held?.stored else { return }
            for (state, waiting) in waiting {
                let isCompleted =
                    logins[state].map { $0.key == held.key } ?? (waiting.login.former != held.login)
                if isCompleted { waiting.continuation.yield(.completedElsewhere(session)) }
            }
        }
    }

    private static let expired = LatchkeyError(
        .flowExpired,
        message: "The login has expired, or was completed already. Log in again."
    )
}
