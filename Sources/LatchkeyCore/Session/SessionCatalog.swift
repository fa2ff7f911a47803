/// Knows which stored session each of the machine's handles stands for.
struct SessionCatalog: Sendable {
    private static let limit = 16

    private let isPair: Bool
    private var entries: [HeldSession] = []
    private var numbers: UInt32 = 0

    init(_ credential: Credential) {
        isPair = credential == .accessToken
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

    /// Forgets what nobody can ask for any more, once there is enough of it.
    mutating func forget(unless isNeeded: (SessionHandle) -> Bool) {
        guard entries.count > Self.limit else { return }
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
