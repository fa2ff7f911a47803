import LatchkeyModel
import LatchkeyWire

/// Connects to the event stream, reads events, and reconnects after a delay.
///
/// The loop holds a strong reference to the transport, but not to the session's keeper.
final class SessionEventLoop: Sendable {
    /// The time after an attempt during which ``wake()`` has no effect.
    private static let quiet: Duration = .seconds(5)

    /// The state of the loop for one login.
    private struct Progress {
        var pause = ReconnectPause()
        /// The id of the most recent event.
        var lastID = ""
        /// Whether the last session check failed and has to be repeated before the loop continues.
        var mustCheck = false
        /// Whether the server rejected the last request with status 401.
        var wasRefused = false
        /// The minimum delay that the server asked for.
        var wanted = Duration.zero
    }

    private struct Waiting {
        var pause: Task<Void, any Error>?
        var lastAttempt: Duration?
    }

    let observers = Locked(ObserverList<SessionEventType>())

    private let api: IdentityAPI
    private let keeper: @Sendable () -> SessionKeeper?
    private let check: @Sendable () async -> Bool
    private let time: any TimeSource
    private let random: any RandomSource
    private let waiting = Locked(Waiting())

    /// Creates a loop.
    ///
    /// - Parameters:
    ///   - api: The identity server's API.
    ///   - keeper: A closure that returns the session's keeper, or `nil` if the keeper was deallocated.
    ///   - check: A closure that checks the session with the identity server. Returns `false` if the check
    ///     failed.
    ///   - time: The clock to use for delays between connections.
    ///   - random: The source of randomness for delays.
    init(
        api: IdentityAPI,
        keeper: @escaping @Sendable () -> SessionKeeper?,
        check: @escaping @Sendable () async -> Bool,
        time: any TimeSource,
        random: any RandomSource
    ) {
        (self.api, self.keeper, self.check, self.time, self.random) = (api, keeper, check, time, random)
    }

    /// Ends the current delay, unless the last attempt was very recent.
    func wake() {
        let uptime = time.uptime
        waiting.withLock { waiting -> Task<Void, any Error>? in
            guard waiting.lastAttempt.map({ uptime - $0 >= Self.quiet }) ?? true else { return nil }
            return waiting.pause
        }?.cancel()
    }

    /// Receives events about a login's session until the session ends or the task is cancelled.
    func run(_ login: UInt32) async {
        var progress = Progress()
        while !Task.isCancelled {
            if progress.mustCheck { progress.mustCheck = await !check() }
            guard let token = token(of: login) else { return }
            progress.wanted = .zero
            if !progress.mustCheck {
                let start = time.uptime
                waiting.withLock { $0.lastAttempt = start }
                await attempt(token, progress: &progress)
                // A rejected request doesn't end the session, so we have to check whether it is still valid.
                if progress.wasRefused {
                    progress.wasRefused = false
                    progress.mustCheck = await !check()
                }
                if time.uptime - start >= ReconnectPause.stableAfter { progress.pause.succeed() }
            }
            guard !Task.isCancelled, self.token(of: login) != nil else { return }
            await sleep(
                for: progress.pause.next(atLeast: progress.wanted, at: time.uptime, random: random)
            )
        }
    }

    /// Returns a login's session token, or `nil` if the login has ended or doesn't have a session token.
    private func token(of login: UInt32) -> Secret? {
        guard let held = keeper()?.held, held.handle.login == login else { return nil }
        return held.stored.sessionToken
    }

    /// Receives events until the stream ends or a request fails.
    private func attempt(_ token: Secret, progress: inout Progress) async {
        do {
            if api.deliversEventStreams {
                try await readStream(token, progress: &progress)
            } else {
                while try await poll(token, progress: &progress) {}
            }
        } catch let error as LatchkeyError {
            note(error, progress: &progress)
        } catch {
            // The stream was interrupted, or its content was invalid.
        }
    }

    private func readStream(_ token: Secret, progress: inout Progress) async throws {
        var parser = ServerSentEventParser(lastID: progress.lastID)
        for try await part in try await api.eventStream(token, after: progress.lastID) {
            for event in try parser.parse(part) {
                progress.lastID = event.id
                guard await handle(SessionEventType(rawValue: event.type), progress: &progress) else {
                    return
                }
            }
            if let retry = parser.retry { progress.wanted = .milliseconds(retry) }
        }
    }

    /// Polls the server once.
    ///
    /// Returns whether the next poll may be sent immediately.
    private func poll(_ token: Secret, progress: inout Progress) async throws -> Bool {
        let start = time.uptime
        let isFirst = progress.lastID.isEmpty
        let body = try await api.pollEvents(token, after: progress.lastID)
        progress.lastID = body.lastId
        for event in body.events {
            guard await handle(SessionEventType(rawValue: event.type), progress: &progress) else {
                return false
            }
        }
        // If the server responds without waiting for an event, we pause before the next poll.
        return !Task.isCancelled
            && (isFirst || !body.events.isEmpty || time.uptime - start >= IdentityAPI.eventWait / 2)
    }

    /// The events after which the session is checked.
    private static let checked: Set<SessionEventType> = [.sessionEnded, .identityChanged, .dutiesChanged]

    /// Handles an event, which may include checking the session.
    ///
    /// - Returns: `false` if the stream must be closed, because the session has ended or the check has to be
    ///   repeated.
    private func handle(_ type: SessionEventType?, progress: inout Progress) async -> Bool {
        // Unknown types come from a newer server and are ignored.
        guard let type else { return true }
        if Self.checked.contains(type) { progress.mustCheck = await !check() }
        for observer in observers.withLock({ $0.current }) { observer(type) }
        if type == .sessionEnded { progress.lastID = "" }
        return type != .sessionEnded && !progress.mustCheck
    }

    /// Decides how to continue after an error.
    private func note(_ error: LatchkeyError, progress: inout Progress) {
        if case .after(let pause) = error.retry { progress.wanted = pause }
        switch (error.cause as? ServerRefusal)?.status {
        case 401: progress.wasRefused = true
        case 404, 405, 501: progress.wanted = ReconnectPause.unsupported
        default: break
        }
    }

    /// Sleeps until the delay has passed, ``wake()`` is called, or the task is cancelled.
    private func sleep(for duration: Duration) async {
        // The task starts under the lock, so that `wake()` finds every task that is sleeping.
        let pause = waiting.withLock { waiting in
            let pause = Task { [time] in try await time.sleep(for: duration) }
            waiting.pause = pause
            return pause
        }
        await withTaskCancellationHandler {
            _ = try? await pause.value
        } onCancel: {
            pause.cancel()
        }
        waiting.withLock { $0.pause = nil }
    }
}
