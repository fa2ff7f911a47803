import LatchkeyModel

/// The right to bring in a session, until somebody signs out.
package struct LoginAttempt: Sendable {
    fileprivate let number: UInt64
    let signOuts: UInt32
}

extension SessionKeeper {
    /// Begins an attempt to log in: from now on a sign-out prevents its success.
    ///
    /// - Returns: The attempt.
    package func beginAttempt() -> LoginAttempt {
        books.withLock { books in
            books.attemptCount += 1
            return LoginAttempt(number: books.attemptCount, signOuts: books.machine.signOuts)
        }
    }

    /// Runs an attempt to log in; a sign-out ends it at once, and so does the cancellation of the caller.
    ///
    /// - Parameters:
    ///   - attempt: The attempt.
    ///   - work: What it does.
    /// - Returns: What the attempt returns.
    /// - Throws: What the attempt throws; ``LatchkeyError/Code/signedOut`` when somebody signed out meanwhile.
    package func run<Value: Sendable>(
        _ attempt: LoginAttempt,
        _ work: @escaping @Sendable () async throws(LatchkeyError) -> Value
    ) async throws(LatchkeyError) -> Value {
        let task = Task { () async -> Result<Value, LatchkeyError> in
            do throws(LatchkeyError) {
                return .success(try await work())
            } catch {
                return .failure(error)
            }
        }
        let begun = books.withLock { books in
            guard books.machine.signOuts == attempt.signOuts else { return false }
            books.attempts[attempt.number] = { task.cancel() }
            return true
        }
        if !begun { task.cancel() }
        let outcome = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        books.withLock { $0.attempts[attempt.number] = nil }
        if case .failure(let error) = outcome, error.code == .cancelled, !isCurrent(attempt) {
            throw LatchkeyError.overtaken
        }
        return try outcome.get()
    }

    /// Tells whether nobody has signed out since an attempt began.
    func isCurrent(_ attempt: LoginAttempt) -> Bool {
        books.withLock { $0.machine.signOuts } == attempt.signOuts
    }

    /// Makes sure, before anything is sent, that a session could be stored.
    ///
    /// A login replaces no record of a newer version: an older app that was started by mistake would end the session of
    /// the newer one. The error says so, and that a sign-out makes room.
    ///
    /// - Throws: ``LatchkeyError/Code/storageUnavailable``, because a record that cannot be read must not be overwritten.
    func requireStorage() async throws(LatchkeyError) {
        await ready()
        if case .unavailable(.store(let error)) = state, error.code == .locked || error.code == .newer {
            throw LatchkeyError(store: error)
        }
    }
}
