package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// Looks up OAuth clients, and caches those that were found.
///
/// Almost every request of a client needs its registration. A change is effective on the node that makes it
/// as soon as it is committed, and on other nodes within five seconds.
///
/// Unknown ids aren't cached, so an attacker can't fill the cache with them.
package final class ClientRegistry: Sendable {
    private struct Entry {
        let client: OAuthClient
        /// The uptime before the client was read.
        let readAt: Duration
    }

    private struct State {
        var entries: [String: Entry] = [:]
        /// The registered origins, each with the uptime before it was read.
        var origins: [String: Duration] = [:]
        /// The number of changes that this node has made.
        var changes = 0

        /// Removes the expired entries or, if there are none, the oldest one.
        mutating func makeRoom(at now: Duration) {
            entries = entries.filter { now - $0.value.readAt < ClientRegistry.lifespan }
            guard entries.count >= ClientRegistry.mostEntries else { return }
            if let oldest = entries.min(by: { $0.value.readAt < $1.value.readAt }) {
                entries[oldest.key] = nil
            }
        }

        /// Caches a registered origin.
        mutating func add(origin: String, readAt now: Duration) {
            if origins.count >= ClientRegistry.mostEntries, origins[origin] == nil {
                origins = origins.filter { now - $0.value < ClientRegistry.lifespan }
                if origins.count >= ClientRegistry.mostEntries,
                    let oldest = origins.min(by: { $0.value < $1.value })
                {
                    origins[oldest.key] = nil
                }
            }
            origins[origin] = now
        }
    }

    /// How long a client is cached, which leaves a second for the read itself.
    package static let lifespan: Duration = .seconds(4)
    /// The maximum number of cached clients, which need 16 KiB each by default, and of cached origins.
    static let mostEntries = 1024

    /// The id that this server's own app has in access tokens, which no client can have.
    package let ownAppID: String?

    private let database: any Database
    private let time: any TimeSource
    private let observers = Locked<[@Sendable () -> Void]>([])
    private let state = Locked(State())

    /// Creates a registry with an empty cache.
    ///
    /// A client that was registered before the operator gave its id to the server's own app (`tokens.client_id`)
    /// can't be used.
    package init(database: any Database, time: any TimeSource, ownAppID: String? = nil) {
        self.ownAppID = ownAppID
        self.database = database
        self.time = time
    }

    /// Returns the client with the given id, or `nil` if there is none or it is disabled.
    package func client(_ id: String) async throws(DatabaseError) -> OAuthClient? {
        guard let client = try await anyClient(id), !client.isDisabled else { return nil }
        return client
    }

    /// Returns the client with the given id from the cache, for callers that can't wait for the database.
    ///
    /// - Throws: ``UncachedClient`` if the client has to be read.
    package func cachedClient(_ id: String) throws(UncachedClient) -> OAuthClient? {
        guard OAuthClient.isID(id), id != ownAppID else { return nil }
        let now = time.uptime
        let entry = state.withLock { $0.entries[id] }
        guard let entry, now - entry.readAt < Self.lifespan else { throw UncachedClient(id: id) }
        return entry.client.isDisabled ? nil : entry.client
    }

    private func anyClient(_ id: String) async throws(DatabaseError) -> OAuthClient? {
        guard OAuthClient.isID(id), id != ownAppID else { return nil }
        let now = time.uptime
        let (cached, changes) = state.withLock { state in
            let entry = state.entries[id].flatMap { now - $0.readAt < Self.lifespan ? $0 : nil }
            return (entry?.client, state.changes)
        }
        if let cached { return cached }
        let client = try await ClientRepository.find(id, in: database)
        state.withLock { state in
            // A client that was read before a change was committed may be outdated.
            guard state.changes == changes else { return }
            guard let client else {
                state.entries[id] = nil
                return
            }
            if state.entries.count >= Self.mostEntries, state.entries[id] == nil { state.makeRoom(at: now) }
            state.entries[id] = Entry(client: client, readAt: now)
        }
        return client
    }

    /// Returns whether any client that isn't disabled has registered the origin of a web page.
    ///
    /// Origins are compared in the form in which browsers send them, with a lower-case host and without the
    /// scheme's default port. Other origins aren't cached, so an attacker can't fill the cache with them.
    package func hasOrigin(_ origin: String) async throws(DatabaseError) -> Bool {
        guard
            origin.utf8.count <= RedirectURI.byteLimit,
            let address = try? WebAddress(origin: origin), address.origin.hasSameBytes(as: origin)
        else { return false }
        let now = time.uptime
        let (isCached, changes) = state.withLock { state in
            (state.origins[origin].map { now - $0 < Self.lifespan } == true, state.changes)
        }
        if isCached { return true }
        guard try await ClientRepository.hasOrigin(origin, in: database) else { return false }
        state.withLock { state in
            guard state.changes == changes else { return }
            state.add(origin: origin, readAt: now)
        }
        return true
    }

    /// Removes a client and its origins from the cache when a transaction that changes it commits.
    ///
    /// The streams of all sessions are told that their duties may have changed, because the client's required fields
    /// may have.
    package func forget(_ id: String, after transaction: borrowing Transaction) throws(DatabaseError) {
        try transaction.publish(.dutyRules)
        transaction.afterCommit { [self] in
            state.withLock { state in
                state.changes += 1
                state.entries[id] = nil
                state.origins = [:]
            }
            for observer in observers.withLock({ $0 }) { observer() }
        }
    }

    /// Calls a closure whenever this node has changed a client.
    ///
    /// The closure is called after the change has been committed, and must not block.
    package func observeChanges(_ observer: @escaping @Sendable () -> Void) {
        observers.withLock { $0.append(observer) }
    }

    /// The number of cached clients.
    var cachedCount: Int { state.withLock { $0.entries.count } }

    /// The number of cached origins.
    var cachedOriginCount: Int { state.withLock { $0.origins.count } }
}

/// Thrown if a client has to be read from the database.
package struct UncachedClient: Error {
    package let id: String
}
