import LatchkeyModel

/// An attempt to log in, which can store a session until the user signs out or a newer attempt begins.
package struct LoginAttempt: Sendable {
    fileprivate let number: UInt64
    let signOuts: UInt32
}

extension SessionKeeper {
    /// Begins an attempt to log in, and ends the one before it.
    ///
    /// From now on, a sign-out and a newer attempt prevent its success.
    ///
    /// - Returns: The attempt.
    package func beginAttempt() -> LoginAttempt {
        let (attempt, superseded) = books.withLock { books in
            books.attemptCount += 1
            defer { books.attempts = [:] }
            let attempt = LoginAttempt(number: books.attemptCount, signOuts: books.machine.signOuts)
            return (attempt, books.attempts.values)
        }
        for cancel in superseded { cancel() }
        return attempt
    }

    /// Runs an attempt to log in.
    ///
    /// A sign-out and a newer attempt end it at once, and so does the cancellation of the caller.
    ///
    /// - Parameters:
    ///   - attempt: The attempt.
    ///   - work: The steps of the attempt.
    /// - Returns: The value that the attempt returns.
    /// - Throws: The error of the attempt. After a sign-out its code is ``LatchkeyError/Code/signedOut``, after a newer
    ///   attempt ``LatchkeyError/Code/superseded``.
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
            guard books.obstacle(to: attempt) == nil else { return false }
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
        do throws(LatchkeyError) {
            return try outcome.get()
        } catch {
            throw reason(for: error, endOf: attempt)
        }
    }

    /// Returns why an attempt ended.
    ///
    /// - Parameters:
    ///   - error: The error that the attempt ended with.
    ///   - attempt: The attempt.
    /// - Returns: The error; if it is a cancellation that a sign-out or a newer attempt caused, an error that says so.
    func reason(for error: LatchkeyError, endOf attempt: LoginAttempt) -> LatchkeyError {
        guard error.code == .cancelled else { return error }
        return books.withLock { $0.obstacle(to: attempt) } ?? error
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

extension SessionBooks {
    /// Returns the reason for which an attempt can no longer store its session, or `nil` if it can.
    func obstacle(to attempt: LoginAttempt) -> LatchkeyError? {
        if machine.signOuts != attempt.signOuts { return .overtaken }
        return attemptCount == attempt.number ? nil : .superseded
    }
}
