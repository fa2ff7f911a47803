/// Knows which stored session each of the machine's handles stands for.
struct SessionCatalog: Sendable {
    /// How many entries a catalog has before it drops those that are not needed.
    static let limit = 16

    private let isPair: Bool
    private let limit: Int
    private var entries: [HeldSession] = []
    private var numbers: UInt32 = 0

    /// Creates an empty catalog.
    ///
    /// - Parameters:
    ///   - credential: The credential of the app's requests.
    ///   - limit: The number of entries above which those that are not needed are dropped.
    init(_ credential: Credential, limit: Int = SessionCatalog.limit) {
        isPair = credential == .accessToken
        self.limit = limit
    }

    subscript(handle: SessionHandle) -> HeldSession? {
        entries.last { $0.handle == handle }
    }

    /// The handle of a stored session: the same for the same, and otherwise new where it differs.
    mutating func handle(for stored: StoredSession) -> SessionHandle {
        if let known = entries.last(where: { $0.stored == stored }) { return known.handle }
        let relatives = entries.filter { $0.stored.isSameLogin(as: stored) }
        let handle = SessionHandle(
            login: relatives.last?.handle.login ?? next(),
            version: relatives.last { $0.stored.pair == stored.pair }?.handle.version ?? next(),
            form: relatives.last { $0.stored.isSameBesidePair(as: stored) }?.handle.form ?? next(),
            isPair: isPair
        )
        entries.append(HeldSession(handle: handle, stored: stored))
        return handle
    }

    /// Drops the entries that are not needed, once there are more than the limit.
    ///
    /// A session that was dropped gets a new login number when it comes back. So whatever is still to be compared with
    /// the store is needed.
    mutating func forget(unless isNeeded: (SessionHandle) -> Bool) {
        guard entries.count > limit else { return }
        entries.removeAll { !isNeeded($0.handle) }
    }

    private mutating func next() -> UInt32 {
        numbers += 1
        return numbers
    }
}

/// A session and its name in the machine; handed on before every request, and so by reference.
package final class HeldSession: Sendable {
    package let handle: SessionHandle
    package let stored: StoredSession

    init(handle: SessionHandle, stored: StoredSession) {
        (self.handle, self.stored) = (handle, stored)
    }
}
