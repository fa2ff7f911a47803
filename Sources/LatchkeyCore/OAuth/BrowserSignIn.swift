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

    private typealias Rule = @Sendable (AuthorizationResponse) -> Bool

    /// A login that this process waits for.
    private struct Waiting: Sendable {
        let accepts: Rule
        /// The login that the new one replaces.
        let former: LoginID?
        let continuation: AsyncStream<Arrival>.Continuation
    }

    private let registration: ClientRegistration
    private let redirects: [RedirectAddress]
    private let completion: GrantCompletion
    private let login: LoginCompletion
    private let keeper: SessionKeeper
    private let lock: CompletionLock
    private let records: SideRecords
    private let revocations: RevocationOutbox?
    private let headers: ClientHeaders
    private let time: any TimeSource
    private let random: any RandomSource
    /// The logins that this process waits for, by their state.
    private let waiting = Locked<[Secret: Waiting]>([:])
    /// The task that handles the latest answer that no login of this process waits for.
    private let late = Locked<Task<Void, Never>?>(nil)
    /// The task that continues interrupted logins.
    private let started = Locked<Task<Void, Never>?>(nil)
    /// The interrupted logins that will be continued when the provider can be reached.
    private let postponed = Locked<[PendingLogin]>([])

    init(
        _ registration: ClientRegistration,
        completion: GrantCompletion,
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
        self.completion = completion
        self.login = login
        self.keeper = keeper
        lock = CompletionLock(store: keeper.store)
        self.records = records
        self.revocations = revocations
        self.headers = headers
        self.time = time
        self.random = random
        keeper.follow { [weak self] change in
            switch change {
            case .state(.signedIn(let session), _): self?.notice(session)
            case .state: break
            case .signedOut: self?.abandonPostponed()
            }
        }
    }

    private var directory: ProviderDirectory { completion.tokens.directory }

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
        return try await keeper.run(attempt) { [self] () async throws(LatchkeyError) in
            let arrival = try await visit(browser, options: options, persistence: persistence)
            return try await complete(arrival, attempt: attempt)
        }
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
        let metadata = try await directory.metadata()
        let visit = try await browser.prepare()
        defer { visit.end() }
        let login = try await pending(at: visit.redirectURI, options: options, persistence: persistence)
        let accepts = Self.rule(for: login, at: metadata)
        let arrivals = AsyncStream<Arrival>.makeStream(bufferingPolicy: .bufferingOldest(1))
        // The login must be stored first, because a waiting login that isn't stored counts as completed.
        do throws(LatchkeyError) {
            try await change { $0.add(login) }
        } catch {
            self.login.removeKey(login.key)
            throw error
        }
        waiting.withLock {
            $0[login.state] = Waiting(
                accepts: accepts,
                former: login.former,
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
        do throws(LatchkeyError) {
            return try await arrival(
                for: login,
                visiting: try await completion.tokens.address(of: request, key: login.key),
                in: visit,
                or: arrivals.stream,
                accepting: accepts
            )
        } catch {
            // A login that failed can't be continued by a late answer. A sign-out has already removed it.
            await forget(login.state)
            self.login.removeKey(login.key)
            throw error
        }
    }

    /// Completes a login after the user has come back, and replaces the current session, if there is one.
    func complete(_ arrival: Arrival) async throws(LatchkeyError) -> UserSession {
        let attempt = keeper.beginAttempt()
        return try await keeper.run(attempt) { [self] () async throws(LatchkeyError) in
            try await complete(arrival, attempt: attempt)
        }
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
                    guard let login = try await accept(answer) else {
                        // The desktop may have started another process with the same answer, which was faster.
                        await keeper.ready(again: true)
                        guard let held = keeper.held?.stored, held.login != former else { throw Self.expired }
                        return held.session
                    }
                    return try await complete(login, attempt: attempt, isAwaited: true)
                }
            } catch {
                // Otherwise, the same answer could complete the login later, although its failure was reported.
                await forget(answer.state)
                throw error
            }
        }
    }

    /// Forgets a login that isn't wanted anymore after the user has come back.
    func forget(_ arrival: Arrival) async {
        if case .answer(let answer, _) = arrival { await forget(answer.state) }
    }

    private func forget(_ state: Secret) async {
        _ = try? await change { $0[state]?.progress == .waiting ? $0.take(state) : nil }
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
            issuer: directory.issuer,
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
        visiting address: String,
        in visit: any BrowserVisit,
        or arrivals: AsyncStream<Arrival>,
        accepting accepts: @escaping Rule
    ) async throws(LatchkeyError) -> Arrival {
        let redirect = RedirectAddress(login.redirectURI)
        let read = { @Sendable (url: String) in
            redirect?.query(of: url).flatMap { AuthorizationResponse(query: $0, at: login.redirectURI) }
                .flatMap { accepts($0) ? $0 : nil }
        }
        if let url = try await visit.open(address, until: { read($0) != nil }) {
            guard let answer = read(url) else {
                throw LatchkeyError(.invalidAnswer, message: "The browser returned with another request.")
            }
            return .answer(answer, replacing: login.former)
        }
        for await arrival in arrivals { return arrival }
        throw Task.isCancelled ? .cancelled : Self.expired
    }

    // MARK: Answers

    /// Passes on a URL with which the app was opened.
    ///
    /// - Parameter url: The URL, which may come from any program.
    /// - Returns: Whether the URL leads to an address of this client. An answer that no login waits for has no
    ///   effect.
    package func receive(_ url: String) -> Bool {
        guard let (query, redirectURI) = match(url) else { return false }
        if let answer = AuthorizationResponse(query: query, at: redirectURI), !pass(on: answer) {
            // One at a time, because any program can send many.
            late.withLock { late in
                late = Task { [previous = late] in
                    await previous?.value
                    _ = try? await completeLate(answer)
                }
            }
        }
        return true
    }

    /// Completes the login that a URL belongs to, with which the app was opened.
    ///
    /// - Parameter url: The URL, which may come from any program.
    /// - Returns: The new session, or `nil` if the URL has no effect, or if this process already waits for it.
    /// - Throws: ``LatchkeyError`` if the login can't be completed.
    package func complete(with url: String) async throws(LatchkeyError) -> UserSession? {
        guard let (query, redirectURI) = match(url),
            let answer = AuthorizationResponse(query: query, at: redirectURI), !pass(on: answer)
        else { return nil }
        return try await completeLate(answer)
    }

    /// Returns the query of a URL, and the redirect URI of this client to which it leads.
    private func match(_ url: String) -> (query: String, redirectURI: String)? {
        redirects.lazy.compactMap { redirect in redirect.query(of: url).map { ($0, redirect.text) } }.first
    }

    /// Passes on an answer to the login of this process that waits for it.
    ///
    /// - Returns: `false` if no login of this process waits for an answer with this state.
    private func pass(on answer: AuthorizationResponse) -> Bool {
        guard let waiting = waiting.withLock({ $0[answer.state] }) else { return false }
        if waiting.accepts(answer) {
            waiting.continuation.yield(.answer(answer, replacing: waiting.former))
        }
        return true
    }

    /// Completes a login that another process, or this app before its restart, has begun.
    private func completeLate(_ answer: AuthorizationResponse) async throws(LatchkeyError) -> UserSession? {
        // An answer that another program has made up must not wait for the lock, and delay the right one.
        guard try await records(of: answer.state)?.progress == .waiting else { return nil }
        return try await lock.whileHeld { [self] () async throws(LatchkeyError) in
            guard let login = try await records(of: answer.state) else { return nil }
            let standing = await self.standing(of: login)
            let attempt = keeper.beginAttemptIfIdle(persistence: login.persistence)
            guard BrowserLoginRules.accepts(standing, isAttempting: attempt == nil), let attempt else {
                return nil
            }
            return try await keeper.run(attempt) { [self] () async throws(LatchkeyError) -> UserSession? in
                guard let login = try await accept(answer) else { return nil }
                return try await complete(login, attempt: attempt, isAwaited: false)
            }
        }
    }

    /// Notes the provider's answer to a login, which happens once over all processes.
    ///
    /// The answer of another provider leaves the login in place (RFC 9207, section 2.4).
    ///
    /// - Returns: The login, or `nil` if there is none, or if it has expired or was
    ///   answered already.
    /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/dismissed`` if the user has refused.
    private func accept(_ answer: AuthorizationResponse) async throws(LatchkeyError) -> PendingLogin? {
        let metadata = try await directory.metadata()
        let isAnswer = { @Sendable (logins: PendingLogins) in
            logins[answer.state].map { $0.progress == .waiting && Self.rule(for: $0, at: metadata)(answer) }
                ?? false
        }
        switch answer.answer {
        case .code(let code):
            return try await change { logins in
                isAnswer(logins) ? logins.advance(answer.state, to: .answered(code: code)) : nil
            }
        case .error(let error, let description):
            guard try await change({ isAnswer($0) ? $0.take(answer.state) : nil }) != nil else { return nil }
            if error == "access_denied" {
                throw LatchkeyError(.dismissed, message: "The login was refused in the browser.")
            }
            let reason = description.map { ": \($0)" } ?? ""
            throw LatchkeyError(.refused, message: "The provider rejected the login (\(error))\(reason)")
        }
    }

    /// Completes a login for which the provider has answered.
    ///
    /// If it can't be completed, what it has left at the provider is revoked.
    ///
    /// - Parameters:
    ///   - login: The login.
    ///   - attempt: The attempt that stores the session.
    ///   - isAwaited: Whether a call waits for the login, so that it may replace a session that was created meanwhile.
    /// - Returns: The new session.
    /// - Throws: ``LatchkeyError``.
    private func complete(
        _ login: PendingLogin,
        attempt: LoginAttempt,
        isAwaited: Bool
    ) async throws(LatchkeyError) -> UserSession {
        let latest = Locked(login)
        do throws(LatchkeyError) {
            let session = try await completion.complete(
                login,
                attempt: attempt,
                while: { isAwaited ? true : await self.standing(of: login) == .unchanged }
            ) { progress in
                latest.withLock { $0.progress = progress }
                // If this fails, the login can't be continued after a restart, but goes on.
                _ = try? await change { $0.advance(login.state, to: progress) }
            }
            _ = try? await change { $0.take(login.state) }
            return session
        } catch {
            await abandon(latest.withLock { $0 })
            throw error
        }
    }

    /// Forgets a login, and revokes what it has left at the provider.
    private func abandon(_ login: PendingLogin) async {
        if let revocations {
            // If this fails, the login is found again at the next start.
            guard let encoded = login.encoded, (try? await revocations.add(login: encoded)) != nil else {
                return
            }
        } else {
            self.login.removeKey(login.key)
        }
        _ = try? await change { $0.take(login.state) }
    }

    // MARK: Interrupted logins

    /// Continues the logins that were interrupted after the provider's answer, in the background.
    package func start() {
        let task = Task { [weak self, time, random] in
            var backoff = Backoff(first: .seconds(2), longest: .seconds(60))
            while await self?.continueInterrupted() == false {
                backoff.fail(at: time.uptime, random: random)
                guard (try? await time.sleep(for: backoff.remainder(at: time.uptime))) != nil else { return }
            }
        }
        started.withLock { $0 = task }
    }

    /// Waits until interrupted logins and answers of before are handled.
    package func settle() async {
        await started.withLock { $0 }?.value
        await late.withLock { $0 }?.value
    }

    /// Continues the interrupted logins.
    ///
    /// - Returns: Whether none is left.
    private func continueInterrupted() async -> Bool {
        guard let logins = try? await interrupted(), !logins.isEmpty else { return true }
        return await lock.whileHeld { [self] in
            postponed.withLock { $0 = [] }
            var rest: [PendingLogin] = []
            // Another process may have completed a login in the meantime.
            for login in (try? await interrupted()) ?? [] {
                if await continueInterrupted(login) { continue }
                rest.append((try? await records(of: login.state)) ?? login)
            }
            postponed.withLock { [rest] in $0 = rest }
            return rest.isEmpty
        }
    }

    /// Abandons the interrupted logins after a sign-out, which has removed them from the store.
    private func abandonPostponed() {
        let logins = postponed.withLock { logins in
            defer { logins = [] }
            return logins
        }
        guard !logins.isEmpty else { return }
        Task { for login in logins { await abandon(login) } }
    }

    /// Continues an interrupted login.
    ///
    /// - Returns: Whether the login is completed or abandoned. Otherwise, the provider couldn't be reached.
    private func continueInterrupted(_ login: PendingLogin) async -> Bool {
        let standing = await self.standing(of: login)
        let givenUp = await revocations?.logins.compactMap { PendingLogin(decoding: $0)?.state } ?? []
        let attempt = keeper.beginAttemptIfIdle(persistence: login.persistence)
        let next = BrowserLoginRules.continuation(
            standing,
            isGivenUp: givenUp.contains(login.state),
            isAttempting: attempt == nil
        )
        // A login that is limited to a process has ended with it. After some time, another person may use the device.
        let isTimely = login.persistence == .device && login.expiresAt > time.now
        guard next == .complete, isTimely, let attempt else {
            if next == .forget {
                _ = try? await change { $0.take(login.state) }
            } else {
                await abandon(login)
            }
            return true
        }
        let latest = Locked(login)
        do throws(LatchkeyError) {
            _ = try await keeper.run(attempt) { [completion, self] () async throws(LatchkeyError) in
                try await completion.complete(
                    login,
                    attempt: attempt,
                    while: { await self.standing(of: login) == .unchanged }
                ) { progress in
                    latest.withLock { $0.progress = progress }
                    _ = try? await change { $0.advance(login.state, to: progress) }
                }
            }
        } catch {
            if error.isLostAnswer { return false }
            // A sign-out may have removed the stored progress.
            await abandon(latest.withLock { $0 })
            return true
        }
        _ = try? await change { $0.take(login.state) }
        return true
    }

    /// Compares the session of this device with that of when a login began.
    private func standing(of login: PendingLogin) async -> BrowserLoginRules.Standing {
        await keeper.ready(again: true)
        guard let held = keeper.held?.stored else { return .unchanged }
        if held.key == login.key { return .own }
        return held.login == login.former ? .unchanged : .other
    }

    /// Ends the wait for logins that another process has completed.
    ///
    /// Such a login is removed, or is about to be and has the key of the session. A login that has expired is removed,
    /// too. The session that it would have replaced isn't its result, because the user hasn't logged in again.
    private func notice(_ session: UserSession) {
        let waiting = waiting.withLock { $0 }
        guard !waiting.isEmpty else { return }
        Task {
            guard let logins = try? await stored(), let held = keeper.held?.stored else { return }
            for (state, login) in waiting {
                let isCompleted = logins[state].map { $0.key == held.key } ?? (login.former != held.login)
                if isCompleted { login.continuation.yield(.completedElsewhere(session)) }
            }
        }
    }

    // MARK: Pending logins

    private func records(of state: Secret) async throws(LatchkeyError) -> PendingLogin? {
        try await stored()[state]
    }

    private func interrupted() async throws(LatchkeyError) -> [PendingLogin] {
        try await stored().logins.filter { $0.progress != .waiting }
    }

    /// Returns the logins that haven't expired.
    private func stored() async throws(LatchkeyError) -> PendingLogins {
        var logins = PendingLogins(decoding: try await records.read(.pendingAuthorizations))
        logins.removeExpired(at: time.now)
        return logins
    }

    /// Returns the rule for the answers to a login: they have its state and redirect URI, and name its provider.
    ///
    /// The code of a login that was begun at another provider, before the app was updated, isn't sent to this one. A
    /// provider that announces it names itself in every answer, so that the answer of another one to which the user
    /// was led can't be mistaken for its (RFC 9207, section 2.4).
    private static func rule(for login: PendingLogin, at metadata: ProviderMetadata) -> Rule {
        { answer in
            answer.state == login.state && answer.redirectURI == login.redirectURI
                && login.issuer.hasSameBytes(as: metadata.issuer)
                && answer.issuer.map { $0.hasSameBytes(as: login.issuer) } ?? !metadata.namesItself
        }
    }

    /// Changes the stored logins.
    private func change<Value: Sendable>(
        _ change: @escaping @Sendable (inout PendingLogins) -> Value
    ) async throws(LatchkeyError) -> Value {
        let now = time.now
        let (value, dropped) = try await records.update(.pendingAuthorizations) { bytes in
            let former = PendingLogins(decoding: bytes)
            var logins = former
            logins.removeExpired(at: now)
            let value = change(&logins)
            bytes = logins.encoded
            return (value, former.logins.filter { logins[$0.state] == nil && $0.progress == .waiting })
        }
        // Their keys are of no use anymore. The other logins' keys are those of sessions, or are still needed.
        for login in dropped { self.login.removeKey(login.key) }
        return value
    }

    private static let expired = LatchkeyError(
        .flowExpired,
        message: "The login has expired, or was completed already. Log in again."
    )
}
