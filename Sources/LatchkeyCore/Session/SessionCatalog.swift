package import LatchkeyModel

/// The mapping from the state machine's handles to the stored sessions that they represent.
struct SessionCatalog: Sendable {
    /// The default number of entries above which unneeded entries are removed.
    static let limit = 16

    private let credential: Credential
    private let limit: Int
    private var entries: [HeldSession] = []
    private var numbers: UInt32 = 0

    /// Creates an empty catalog.
    ///
    /// - Parameters:
    ///   - credential: The credential of the app's requests; it determines `isPair` of the handles of
    ///     sessions with a session token.
    ///   - limit: The number of entries above which unneeded entries are removed.
    init(_ credential: Credential, limit: Int = SessionCatalog.limit) {
        self.credential = credential
        self.limit = limit
    }

    /// Returns the session of a handle, or `nil` if the catalog does not contain it.
    subscript(handle: SessionHandle) -> HeldSession? {
        entries.last { $0.handle == handle }
    }

    /// Returns the handle for a stored session, and adds an entry if the session is not in the catalog.
    ///
    /// Equal sessions have the same handle. Another login has another `login`, different tokens of the same
    /// login another `version`, and any other difference results in another `form`.
    mutating func handle(for stored: StoredSession) -> SessionHandle {
        if let known = entries.last(where: { $0.stored == stored }) { return known.handle }
        let relatives = entries.filter { $0.stored.isSameLogin(as: stored) }
        let handle = SessionHandle(
            login: relatives.last?.handle.login ?? next(),
            version: relatives.last { $0.stored.credential == stored.credential }?.handle.version ?? next(),
            form: relatives.last { $0.stored.isSameBesideCredential(as: stored) }?.handle.form ?? next(),
            isPair: stored.credential.isPair(credential),
            isComplete: stored.isComplete
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

    /// The token that authenticates the app's requests.
    package var bearer: Secret {
        switch stored.credential {
        case .sessionToken(let token, let pair): handle.isPair ? pair?.access ?? token : token
        case .grant(let grant): grant.pair.access
        }
    }
}
