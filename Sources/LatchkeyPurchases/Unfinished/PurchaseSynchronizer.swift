import Latchkey
import LatchkeyModel

/// Brings the unfinished purchases of this device and of the server into agreement.
///
/// It repeats orders whose outcome is not known, informs the server of finished transactions, and delivers the
/// transactions that the server lists as unfinished. There is one run at a time. After a failure, and while a payment
/// is in progress, the next run follows after a pause that doubles each time.
final class PurchaseSynchronizer: Sendable {
    private struct State {
        /// The run in progress.
        var run: Task<Result<Void, PurchaseError>, Never>?
        /// The pause before the next run.
        var pause: Task<Void, Never>?
        /// The number of pauses since the last run without a reason for another one.
        var pauses = 0
    }

    /// The first pause, and the longest one.
    private static let pauses = (first: Duration.seconds(5), longest: Duration.seconds(300))

    private let client: LatchkeyClient
    private let api: CommerceAPI
    private let record: PurchaseRecord
    private let feed: PurchaseFeed
    private let state = Locked(State())

    init(client: LatchkeyClient, api: CommerceAPI, record: PurchaseRecord, feed: PurchaseFeed) {
        (self.client, self.api, self.record, self.feed) = (client, api, record, feed)
    }

    /// Starts a run for a new login, which does not wait for an earlier one.
    func start() {
        stop()
        _ = newRun()
    }

    /// Ends the pause, and cancels the run in progress.
    ///
    /// The caller may hold a lock that the cancellation needs, so another task cancels them.
    func stop() {
        let (pause, run) = state.withLock { state in
            defer { (state.pause, state.run, state.pauses) = (nil, nil, 0) }
            return (state.pause, state.run)
        }
        guard pause != nil || run != nil else { return }
        Task {
            pause?.cancel()
            run?.cancel()
        }
    }

    /// Runs once, or waits for the run in progress.
    ///
    /// A login that begins in the meantime cancels that run; this method then waits for the run of the new login.
    func refresh() async throws(PurchaseError) {
        while true {
            let run = state.withLock { $0.run } ?? newRun()
            let result = await run.value
            if case .failure(let error) = result, error.code == .cancelled, !Task.isCancelled,
                state.withLock({ $0.run != run })
            {
                continue
            }
            return try result.get()
        }
    }

    /// Starts a run after the one in progress, whose list may be outdated.
    func runAgain() {
        Task { [weak self] in
            guard let self else { return }
            if let run = state.withLock({ $0.run }) { _ = await run.value }
            _ = newRun()
        }
    }

    /// Plans a run after a pause, unless one is planned already.
    func retryLater() {
        state.withLock { state in
            guard state.pause == nil else { return }
            var pause = Self.pauses.first
            for _ in 0..<state.pauses where pause < Self.pauses.longest { pause = pause * 2 }
            state.pauses += 1
            let extended = client.random.duration(in: pause..<(pause + pause / 4))
            state.pause = Task { [weak self, time = client.time] in
                do {
                    try await time.sleep(for: extended)
                } catch {
                    return
                }
                self?.endPause()
            }
        }
    }

    private func endPause() {
        state.withLock { $0.pause = nil }
        _ = newRun()
    }

    private func newRun() -> Task<Result<Void, PurchaseError>, Never> {
        state.withLock { state in
            if let run = state.run { return run }
            let run = Task { await self.run() }
            state.run = run
            return run
        }
    }

    private func run() async -> Result<Void, PurchaseError> {
        let login = feed.login
        var result: Result<Void, PurchaseError> = .success(())
        do {
            try await client.withSession(.never) { access in
                try await self.synchronize(access, login: login)
            }
        } catch {
            result = .failure(PurchaseError(error))
            await deliverStored(login: login)
        }
        guard !Task.isCancelled, feed.login == login else { return result }
        state.withLock { $0.run = nil }
        switch result {
        case .failure(let error) where error.code == .loginRequired: return .success(())
        case .failure: retryLater()
        case .success:
            if feed.transactions.contains(where: { $0.state.isPending }) {
                retryLater()
            } else {
                state.withLock { $0.pauses = 0 }
            }
        }
        return result
    }

    /// Performs the requests of a run.
    private func synchronize(_ access: SessionAccess, login: Int) async throws {
        let stored = try await record.read()
        var failure: LatchkeyError?
        for order in stored.orders where !feed.isInProgress(order.key) {
            do throws(LatchkeyError) {
                let transaction = try await api.place(order, as: access)
                try await record.update { $0.complete(order.key, with: transaction) }
                feed.complete(order, with: transaction, login: login)
            } catch {
                if error.concernsSession { throw error }
                guard error.settlesOrder else {
                    failure = error
                    continue
                }
                try await record.update { $0.removeOrder(order.key) }
                feed.end(order, with: PurchaseError(error))
            }
        }
        for id in stored.finished {
            do throws(LatchkeyError) {
                _ = try await api.finish(id, as: access)
                try await record.update { $0.forgetFinished(id) }
            } catch {
                if error.concernsSession { throw error }
                guard error.settlesOrder else {
                    failure = error
                    continue
                }
                try await record.update { $0.forgetFinished(id) }
            }
        }
        let known = Set(try await record.read().transactions.map(\.id))
        let list = try await api.transactions(unfinishedOnly: true, as: access)
        let finished = try await record.update { purchases in
            purchases.replace(with: list, of: known)
            return Set(purchases.finished)
        }
        feed.deliver(list.filter { !finished.contains($0.id) }, login: login)
        if let failure { throw failure }
    }

    /// Delivers the stored transactions, because the server's list is not available.
    private func deliverStored(login: Int) async {
        do throws(LatchkeyError) {
            feed.deliver(try await record.read().transactions, login: login)
        } catch {
            // The next run delivers them.
        }
    }
}
