package import LatchkeyModel

/// Maps the state machine's handles to stored sessions.
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
    ///   - credential: The credential for the app's own requests. This determines the value of `isPair` for
    ///     sessions with a session token.
    ///   - limit: If there are more entries than this, those that aren't needed are removed.
    init(_ credential: Credential, limit: Int = SessionCatalog.limit) {
        self.credential = credential
        self.limit = limit
    }

    /// Returns the session for a handle, or `nil` if it isn't in the catalog.
    subscript(handle: SessionHandle) -> HeldSession? {
        entries.last { $0.handle == handle }
    }

    /// Returns the handle for a session, and adds an entry if the session isn't in the catalog yet.
    ///
    /// If the catalog already contains an equal session, the handle of that session is returned. Two handles
    /// differ in `login` if the logins are different, in `version` if the tokens are different, and in `form`
    /// if anything else is different.
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

    /// Removes unneeded entries if the catalog exceeds its limit.
    ///
    /// If the entry for a session is removed, the session gets a new login number when it is read again. For
    /// this reason, the entry must be kept while the session may still be compared with the record in the
    /// store.
    ///
    /// - Parameter isNeeded: A closure that returns whether the entry for a handle must be kept.
    mutating func forget(unless isNeeded: (SessionHandle) -> Bool) {
        guard entries.count > limit else { return }
        entries.removeAll { !isNeeded($0.handle) }
    }

    /// Returns a number that hasn't been used before.
    private mutating func next() -> UInt32 {
        numbers += 1
        return numbers
    }
}

/// A stored session together with its handle.
///
/// This is a class because it is passed around before every request, and copying the values would be more
/// expensive.
package final class HeldSession: Sendable {
    /// The handle that identifies the session in the state machine.
    package let handle: SessionHandle
    /// The session's data, including its tokens.
    package let stored: StoredSession

    init(handle: SessionHandle, stored: StoredSession) {
        (self.handle, self.stored) = (handle, stored)
    }

    /// The token that authenticates the app's own requests.
    package var bearer: Secret {
        switch stored.credential {
        case .sessionToken(let token, let pair): handle.isPair ? pair?.access ?? token : token
        case .grant(let grant): grant.pair.access
        }
    }
}
