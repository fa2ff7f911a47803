package import LatchkeyModel
package import LatchkeyServerKit

/// A background task that refreshes the catalog, and notifies the event streams of this node when a version takes effect
/// that was published before.
///
/// Every node has its own task, which needs no state in the database: streams that are opened later report the new
/// duty by themselves.
package final class TermsSchedule: ServerWorker {
    /// The pause between two rounds, which leaves a second for the read before the cache expires.
    private static let interval = TermsCatalog.lifespan - .seconds(1)

    private let catalog: TermsCatalog
    private let broadcast: Broadcast
    private let time: any TimeSource
    private let task = Locked<Task<Void, Never>?>(nil)
    /// The number of scheduled versions that had taken effect in the last round, or `nil` before the first one.
    private let effective = Locked<Int?>(nil)

    /// Creates the task, which doesn't run until ``start()`` is called.
    package init(catalog: TermsCatalog, broadcast: Broadcast, time: any TimeSource) {
        (self.catalog, self.broadcast, self.time) = (catalog, broadcast, time)
    }

    package func start() {
        task.withLock { task in
            guard task == nil else { return }
            task = Task { [self] in
                while !Task.isCancelled {
                    // Other operations report that the database isn't available, and the next round tries again.
                    try? await round()
                    try? await time.sleep(for: Self.interval)
                }
            }
        }
    }

    package func stop() async {
        let running = task.withLock { $0 }
        running?.cancel()
        await running?.value
    }

    /// Refreshes the catalog, and publishes a change of the rules if a version has taken effect since the last round.
    package func round() async throws(DatabaseError) {
        let documents = try await catalog.refresh()
        let now = time.now
        // Versions that took effect when they were published are left out, because their publication has notified
        // the streams of all nodes.
        let count = documents.flatMap(\.versions).count {
            $0.asks != .nothing && $0.effectiveAt > $0.publishedAt && $0.effectiveAt <= now
        }
        let last = effective.withLock { effective in
            defer { effective = count }
            return effective
        }
        if let last, last != count { broadcast.publish(.dutyRules) }
    }
}
