import LatchkeyModel

/// Continues the logins that were interrupted after the provider's answer, for example because the app was ended.
final class InterruptedLogins: Sendable {
    private let logins: PendingLoginStore
    private let completion: PendingLoginCompletion
    private let lock: CompletionLock
    private let time: any TimeSource
    private let random: any RandomSource
    private let task = Locked<Task<Void, Never>?>(nil)
    /// The logins that will be continued when the provider can be reached.
    private let postponed = Locked<[PendingLogin]>([])

    init(
        _ completion: PendingLoginCompletion,
        lock: CompletionLock,
        time: any TimeSource,
        random: any RandomSource
    ) {
        (self.completion, self.lock, self.time, self.random) = (completion, lock, time, random)
        logins = completion.logins
        completion.keeper.follow { [weak self] change in
            if case .signedOut = change { self?.abandonPostponed() }
        }
    }

    /// Begins to continue the logins in the background.
    func start() {
        let task = Task { [weak self, time, random] in
            await self?.logins.removeExpired()
            var backoff = Backoff(first: .seconds(2), longest: .seconds(60))
            while await self?.continueAll() == false {
                backoff.fail(at: time.uptime, random: random)
                guard (try? await time.sleep(for: backoff.remainder(at: time.uptime))) != nil else { return }
            }
        }
        self.task.withLock { $0 = task }
    }

    /// Waits until all of them are completed or abandoned.
    func settle() async {
        await task.withLock { $0 }?.value
    }

    /// Continues the logins, one process at a time.
    ///
    /// - Returns: Whether none is left.
    private func continueAll() async -> Bool {
        guard let stored = try? await logins.interrupted(), !stored.isEmpty else { return true }
        return await lock.whileHeld { [self] in
            postponed.withLock { $0 = [] }
            var isDone = true
            // Another process may have completed a login in the meantime.
            for login in (try? await logins.interrupted()) ?? [] {
                if await resume(login) { continue }
                isDone = false
                let latest = (try? await logins.logins()[login.state]) ?? login
                // At once, because the user can sign out while the next one is continued.
                postponed.withLock { $0.append(latest) }
            }
            return isDone
        }
    }

    /// Continues a login.
    ///
    /// - Returns: Whether the login is completed or abandoned. Otherwise, the provider couldn't be reached.
    private func resume(_ login: PendingLogin) async -> Bool {
        let standing = await completion.standing(of: login)
        let givenUp =
            await completion.revocations?.logins.compactMap { PendingLogin(decoding: $0)?.state } ?? []
        let attempt = completion.keeper.beginAttempt(
            replacing: login.former,
            persistence: login.persistence
        )
        let next = BrowserLoginRules.continuation(
            standing,
            isGivenUp: givenUp.contains(login.state),
            isAttempting: attempt == nil
        )
        if next == .forget {
            await logins.remove(login.state)
            return true
        }
        // A login that is limited to a process has ended with it. After some time, another person may use the device.
        let isTimely = login.persistence == .device && login.expiresAt > time.now
        guard next == .complete, isTimely, let attempt else {
            await completion.abandon(login)
            return true
        }
        do throws(LatchkeyError) {
            _ = try await completion.complete(login, attempt: attempt, keepsUnanswered: true)
            return true
        } catch {
            return !error.isLostAnswer
        }
    }

    /// Abandons the logins after a sign-out, which has removed them from the store.
    private func abandonPostponed() {
        let logins = postponed.withLock { logins in
            defer { logins = [] }
            return logins
        }
        guard !logins.isEmpty else { return }
        Task { for login in logins { await completion.abandon(login) } }
    }
}
