import LatchkeyModel

/// A login attempt, which may store a session until the user signs out or a newer attempt begins.
package struct LoginAttempt: Sendable {
    fileprivate let number: UInt64
    let signOuts: UInt32
    /// Where the session is stored.
    let persistence: Persistence
}

extension SessionKeeper {
    /// Begins a login attempt, and cancels the previous ones.
    ///
    /// From now on, a sign-out or a newer attempt prevents this attempt from succeeding.
    ///
    /// - Parameter persistence: Where the session is stored.
    /// - Returns: The attempt, which the caller passes to ``run(_:steps:)`` and ``commit(_:of:)``.
    package func beginAttempt(persistence: Persistence = .device) -> LoginAttempt {
        let (attempt, superseded) = keeperState.withLock { state in
            state.attemptCount += 1
            defer { state.attempts = [:] }
            let attempt = LoginAttempt(
                number: state.attemptCount,
                signOuts: state.machine.signOuts,
                persistence: persistence
            )
            return (attempt, state.attempts.values)
        }
        for cancel in superseded { cancel() }
        return attempt
    }

    /// Runs the steps of a login attempt.
    ///
    /// The steps are cancelled immediately by a sign-out, by a newer attempt, or when the caller is
    /// cancelled.
    ///
    /// - Parameters:
    ///   - attempt: The attempt; if it has already ended, the steps start in a cancelled task.
    ///   - steps: The steps of the attempt.
    /// - Returns: The value that the steps return.
    /// - Throws: The error of the attempt. Its code is ``LatchkeyError/Code/signedOut`` after a sign-out, and
    ///   ``LatchkeyError/Code/superseded`` after a newer attempt has begun.
    package func run<Value: Sendable>(
        _ attempt: LoginAttempt,
        steps: @escaping @Sendable () async throws(LatchkeyError) -> Value
    ) async throws(LatchkeyError) -> Value {
        let task = Task { () async -> Result<Value, LatchkeyError> in
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

    /// Returns the error to report for a failed attempt.
    ///
    /// - Parameters:
    ///   - error: The error that the attempt ended with.
    ///   - attempt: The attempt.
    /// - Returns: The error. If a sign-out or a newer attempt caused a cancellation, an error that says so
    ///   replaces it.
    func reason(for error: LatchkeyError, endOf attempt: LoginAttempt) -> LatchkeyError {
        guard error.code == .cancelled else { return error }
        return keeperState.withLock { $0.obstacle(to: attempt) } ?? error
    }

    /// Checks, before any request is sent, that a session could be stored.
    ///
    /// A login does not replace a record that a newer version of the app wrote: an older version that is
    /// started by mistake would end the newer version's session. The error message recommends updating the
    /// app, or signing out to replace the record.
    ///
    /// - Throws: ``LatchkeyError/Code/storageUnavailable`` if the store is locked, or a newer version wrote
    ///   its record.
    func requireStorage() async throws(LatchkeyError) {
        await ready()
        if case .unavailable(.store(let error)) = state, error.code == .locked || error.code == .newer {
            throw LatchkeyError(store: error)
        }
    }
}

extension KeeperState {
    /// Returns the reason why an attempt can no longer store its session, or `nil` if it still can.
    func obstacle(to attempt: LoginAttempt) -> LatchkeyError? {
        if machine.signOuts != attempt.signOuts { return .signedOutDuringLogin }
        return attemptCount == attempt.number ? nil : .superseded
    }
}
