import Latchkey
import LatchkeyModel

/// Synchronizes the unfinished purchases between this device and the server.
///
/// Each run sends orders whose outcome is unknown, notifies the server of finished transactions, and delivers
/// the transactions that the server lists as unfinished. Only one run is active at a time. After a failure,
/// and while a payment is in progress, another run follows after a delay that doubles each time.
final class PurchaseSynchronizer: Sendable {
    private struct State {
        /// The run in progress.
        var run: Task<Result<Void, PurchaseError>, Never>?
        /// The task that waits before the next run.
        var pause: Task<Void, Never>?
        /// The number of consecutive delays, used to calculate the length of the next delay.
        var pauses = 0
    }

    /// The first and the longest delay between runs.
    private static let pauses = (first: Duration.seconds(5), longest: Duration.seconds(300))

    private let client: LatchkeyClient
    private let api: CommerceAPI
    private let record: PurchaseRecord
    private let feed: PurchaseFeed
    private let state = Locked(State())

    init(client: LatchkeyClient, api: CommerceAPI, record: PurchaseRecord, feed: PurchaseFeed) {
        (self.client, self.api, self.record, self.feed) = (client, api, record, feed)
    }

    /// Starts a run for a new login without waiting for an earlier run.
    func start() {
        stop()
        _ = newRun()
    }

    /// Stops waiting for the next run and cancels the run in progress.
    ///
    /// The tasks are cancelled from another task because the caller may hold a lock that the cancellation
    /// handlers need.
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

    /// Starts a run, or waits for the one in progress.
    ///
    /// If the run is cancelled because the user logs in again, this method waits for the next run.
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

    /// Starts another run after the current run, because the current run may use an outdated list.
    func runAgain() {
        Task { [weak self] in
            guard let self else { return }
            if let run = state.withLock({ $0.run }) { _ = await run.value }
            _ = newRun()
        }
    }

    /// Schedules a run after a delay, unless one is already scheduled.
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

    /// Sends all requests that are part of one synchronization.
    private func synchronize(_ access: SessionAccess, login: Int) async throws {
        let stored = try await record.read()
        var failure: LatchkeyError?
        for order in stored.orders where !feed.isInProgress(order.key) {
            do throws(LatchkeyError) {
                let transaction = try await api.place(order, as: access)
                try await record.update { [feed] in
                    $0.complete(order.key, with: transaction, except: feed.finished)
                }
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
                guard error.refusesFinish else {
                    failure = error
                    continue
                }
                try await record.update { $0.forgetFinished(id) }
                if feed.login == login { feed.unfinish(id) }
            }
        }
        let known = try await record.read().transactionIDs.union(feed.transactions.map(\.id))
        let listed = try await api.transactions(unfinishedOnly: true, as: access)
        let list = listed.elements
        let finishedElsewhere = known.subtracting(listed.unreadableIDs)
        let finished = try await record.update { [feed] purchases in
            purchases.replace(with: list, of: finishedElsewhere, except: feed.finished)
            return Set(purchases.finished)
        }
        feed.remove(finishedElsewhere.subtracting(list.map(\.id)), login: login)
        feed.deliver(list.filter { !finished.contains($0.id) }, login: login)
        if let failure { throw failure }
    }

    /// Delivers the stored transactions when the server's list is not available.
    private func deliverStored(login: Int) async {
        do throws(LatchkeyError) {
            feed.deliver(try await record.read().transactions, login: login)
        } catch {
            // The next run will deliver the transactions.
        }
    }
}
