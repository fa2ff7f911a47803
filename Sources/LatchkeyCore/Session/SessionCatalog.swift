/// The mapping from the state machine's handles to the stored sessions that they represent.
struct SessionCatalog: Sendable {
    /// The default number of entries above which unneeded entries are removed.
    static let limit = 16

    private let isPair: Bool
    private let limit: Int
    private var entries: [HeldSession] = []
    private var numbers: UInt32 = 0

    /// Creates an empty catalog.
    ///
    /// - Parameters:
    ///   - credential: The credential of the app's requests; it determines `isPair` of all handles.
    ///   - limit: The number of entries above which unneeded entries are removed.
    init(_ credential: Credential, limit: Int = SessionCatalog.limit) {
        isPair = credential == .accessToken
        self.limit = limit
    }

    /// Returns the session of a handle, or `nil` if the catalog does not contain it.
    subscript(handle: SessionHandle) -> HeldSession? {
        entries.last { $0.handle == handle }
    }

    /// Returns the handle for a stored session, and adds an entry if the session is not in the catalog.
    ///
    /// Equal sessions have the same handle. A different token or key results in a new `login`, a different
    /// token pair in a new `version`, and any other difference in a new `form`.
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

    /// Removes unneeded entries once the catalog exceeds its limit.
    ///
    /// A session whose entry was removed gets a new login number when it is read again. Therefore, the entry
    /// of a session that must still be compared with the store counts as needed.
    ///
    /// - Parameter isNeeded: Returns whether the entry for a handle must remain.
    mutating func forget(unless isNeeded: (SessionHandle) -> Bool) {
        guard entries.count > limit else { return }
        entries.removeAll { !isNeeded($0.handle) }
    }

    /// Returns a number that has not been used before.
    private mutating func next() -> UInt32 {
        numbers += 1
        return numbers
    }
}

/// A stored session and its handle.
///
/// This is a class because it is passed along before every request, and copying the values would cost more.
package final class HeldSession: Sendable {
    /// The handle by which the session machine refers to the session.
    package let handle: SessionHandle
    /// The data of the session, including its tokens.
    package let stored: StoredSession

    init(handle: SessionHandle, stored: StoredSession) {
        (self.handle, self.stored) = (handle, stored)
    }
}
