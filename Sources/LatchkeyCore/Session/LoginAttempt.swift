import LatchkeyModel

/// An attempt to log in, which may store a session until the user signs out or a newer attempt begins.
package struct LoginAttempt: Sendable {
    /// The sessions that an attempt may replace.
    fileprivate enum Replaceable: Sendable {
        case all
        /// The session of this login, which may have ended in the meantime, or none.
        case only(LoginID?)
    }

    fileprivate let number: UInt64
    /// The attempt of a caller that was the most recent one when this attempt began.
    fileprivate let mostRecent: UInt64
    fileprivate let replaceable: Replaceable
    let signOuts: UInt32
    /// Where to store the session.
    let persistence: Persistence

    /// Whether the session of another login that was completed in the meantime is kept.
    var keepsOtherSessions: Bool {
        if case .only = replaceable { true } else { false }
    }
}

extension SessionKeeper {
    /// Begins a login attempt and cancels all previous ones.
    ///
    /// After this call, the attempt fails if the user signs out or a newer attempt begins.
    ///
    /// - Parameter persistence: Where to store the session.
    /// - Returns: The attempt to pass to ``run(_:steps:)`` and ``commit(_:of:)``.
    package func beginAttempt(persistence: Persistence = .device) -> LoginAttempt {
        let (attempt, superseded) = keeperState.withLock { state in
            state.attemptCount += 1
            state.mostRecentAttempt = state.attemptCount
            defer { state.attempts = [:] }
            return (state.attempt(persistence: persistence, replacing: .all), state.attempts.values)
        }
        for cancel in superseded { cancel() }
        return attempt
    }

    /// Begins an attempt to complete a login that no caller waits for.
    ///
    /// Unlike other attempts, it doesn't end those that have begun already, and its session doesn't replace one that
    /// they store first.
    ///
    /// - Parameters:
    ///   - former: The login whose session may be replaced.
    ///   - persistence: Where to store the session.
    /// - Returns: The attempt, or `nil` if another one is running.
    func beginAttempt(replacing former: LoginID?, persistence: Persistence) -> LoginAttempt? {
        keeperState.withLock { state in
            guard state.attempts.isEmpty else { return nil }
            state.attemptCount += 1
            return state.attempt(persistence: persistence, replacing: .only(former))
        }
    }

    /// Runs the steps of a login attempt.
    ///
    /// The steps are cancelled immediately if the user signs out, a newer attempt begins, or the caller is
    /// cancelled.
    ///
    /// - Parameters:
    ///   - attempt: The attempt. If the attempt has already ended, the steps don't start.
    ///   - steps: The steps to run.
    /// - Returns: The value returned by the steps.
    /// - Throws: The error that caused the attempt to fail. The code is ``LatchkeyError/Code/signedOut`` if
    ///   the user signed out, or ``LatchkeyError/Code/superseded`` if a newer attempt has begun.
    package func run<Value: Sendable>(
        _ attempt: LoginAttempt,
        steps: @escaping @Sendable () async throws(LatchkeyError) -> Value
    ) async throws(LatchkeyError) -> Value {
        let task = Task { () async -> Result<Value, LatchkeyError> in
            // The task may start before it could be cancelled below.
            guard keeperState.withLock({ $0.obstacle(to: attempt) == nil }) else {
                return .failure(.cancelled)
            }
            do throws(LatchkeyError) {
                return .success(try await steps())
            } catch {
                return .failure(error)
            }
        }
        let begun = keeperState.withLock { state in
            guard state.obstacle(to: attempt) == nil else { return false }
            state.attempts[attempt.number] = { task.cancel() }
            return true
        }
        if !begun { task.cancel() }
        let outcome = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        keeperState.withLock { $0.attempts[attempt.number] = nil }
        do throws(LatchkeyError) {
            return try outcome.get()
        } catch {
            throw reason(for: error, endOf: attempt)
        }
    }

    /// Returns the error to report when an attempt fails.
    ///
    /// - Parameters:
    ///   - error: The error thrown by the attempt.
    ///   - attempt: The attempt that failed.
    /// - Returns: The error. If the attempt was cancelled by a sign-out or by a newer attempt, an error that
    ///   explains this is returned instead.
    func reason(for error: LatchkeyError, endOf attempt: LoginAttempt) -> LatchkeyError {
        guard error.code == .cancelled else { return error }
        return keeperState.withLock { $0.obstacle(to: attempt) } ?? error
    }

    /// Checks that a session can be stored, before any requests are sent.
    ///
    /// A login doesn't replace a record that was written by a newer version of the app. Otherwise, an older
    /// version that was started by mistake would end the newer version's session. The error message
    /// recommends updating the app, or signing out to replace the record.
    ///
    /// - Throws: ``LatchkeyError/Code/storageUnavailable`` if the store is locked, or if its record was
    ///   written by a newer version.
    func requireStorage() async throws(LatchkeyError) {
        await ready()
        if case .unavailable(.store(let error)) = state, error.code == .locked || error.code == .newer {
            throw LatchkeyError(store: error)
        }
    }
}

extension KeeperState {
    /// Returns the attempt with the latest number.
    fileprivate func attempt(
        persistence: Persistence,
        replacing replaceable: LoginAttempt.Replaceable
    ) -> LoginAttempt {
        LoginAttempt(
            number: attemptCount,
            mostRecent: mostRecentAttempt,
            replaceable: replaceable,
            signOuts: machine.signOuts,
            persistence: persistence
        )
    }

    /// Returns the reason why an attempt can no longer store its session, or `nil` if it still can.
    func obstacle(to attempt: LoginAttempt) -> LatchkeyError? {
        if machine.signOuts != attempt.signOuts { return .signedOutDuringLogin }
        guard mostRecentAttempt == attempt.mostRecent else { return .superseded }
        guard case .only(let former) = attempt.replaceable, let held else { return nil }
        return held.stored.login == former ? nil : .superseded
    }
}
