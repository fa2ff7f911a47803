package import LatchkeyModel
package import LatchkeyServerKit

/// Looks up the published documents, and caches them.
///
/// A publication is effective on the node that makes it as soon as it is committed, and on other nodes within
/// five seconds. The words of the texts aren't cached.
package final class TermsCatalog: Sendable {
    private struct State {
        var documents: [TermsDocument] = []
        /// The uptime before the documents were read, or `nil` if they have to be read.
        var readAt: Duration?
        /// The number of publications of this node.
        var publications = 0
    }

    /// How long the documents are cached, which leaves a second for the read itself.
    package static let lifespan: Duration = .seconds(4)

    private let database: any Database
    private let time: any TimeSource
    private let observers = Locked<[@Sendable () -> Void]>([])
    private let state = Locked(State())

    /// Creates a catalog with an empty cache.
    package init(database: any Database, time: any TimeSource) {
        (self.database, self.time) = (database, time)
    }

    /// Returns the published documents, in the order of their keys.
    package func documents() async throws(DatabaseError) -> [TermsDocument] {
        needsRefresh ? try await refresh() : cached
    }

    /// Whether the documents have to be read again.
    var needsRefresh: Bool {
        let now = time.uptime
        return state.withLock { state in state.readAt.map { now - $0 >= Self.lifespan } ?? true }
    }

    /// Reads the published documents again, and caches them.
    ///
    /// A background task calls this method more often than the cache expires, so that no request waits for the read.
    @discardableResult
    func refresh() async throws(DatabaseError) -> [TermsDocument] {
        let now = time.uptime
        let publications = state.withLock { $0.publications }
        let documents = try await TermsRepository.all(in: database)
        state.withLock { state in
            // Documents that were read before a publication was committed may be outdated.
            guard state.publications == publications else { return }
            (state.documents, state.readAt) = (documents, now)
        }
        return documents
    }

    /// The documents that were read last, even if they are outdated, or an empty list before the first read.
    package var cached: [TermsDocument] { state.withLock { $0.documents } }

    /// Reads the documents again after a transaction that publishes has been committed.
    package func forget(after transaction: borrowing Transaction) {
        transaction.afterCommit { [self] in
            state.withLock { state in
                state.publications += 1
                state.readAt = nil
            }
            for observer in observers.withLock({ $0 }) { observer() }
        }
    }

    /// Calls a closure whenever this node has published.
    ///
    /// The closure is called after the publication has been committed, and must not block.
    package func observePublications(_ observer: @escaping @Sendable () -> Void) {
        observers.withLock { $0.append(observer) }
    }
}
