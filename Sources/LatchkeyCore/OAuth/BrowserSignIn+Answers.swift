import LatchkeyModel

/// The answers with which the app is opened.
extension BrowserSignIn {
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
            log(.debug, message: "An answer that no login waits for was ignored.")
        } catch {
            log(.warning, message: "The answer to a login could not be used (\(error.code)).")
        }
    }

    private func log(_ level: LogEvent.Level, message: String) {
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
            guard BrowserLoginRules.accepts(standing, isAttempting: attempt == nil), let attempt else {
                return nil
            }
            do throws(LatchkeyError) {
                guard let answered = try await accept(answer, for: attempt) else { return nil }
                return try await completion.complete(answered, attempt: attempt)
            } catch {
                // Otherwise, the process that waits for the login would wait until it has expired.
                if error.code != .signedOut, error.code != .superseded {
                    await logins.fail(login, isRefused: error.code == .dismissed)
                }
                throw error
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
    func accept(
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
        if error == "access_denied" { return refusal }
        let reason = description.map { ": \($0)" } ?? ""
        return LatchkeyError(.refused, message: "The provider rejected the login (\(error))\(reason)")
    }

    /// Ends the wait for logins that another process has completed.
    ///
    /// Such a login is removed, or is about to be and has the key of the session. A login that has expired is removed,
    /// too. The session that it would have replaced isn't its result, because the user hasn't logged in again.
    func notice(_ session: UserSession) {
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
}
