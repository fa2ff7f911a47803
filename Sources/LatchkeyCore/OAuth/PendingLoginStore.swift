import LatchkeyModel

/// The pending logins in the app's store, which all of its processes share.
struct PendingLoginStore: Sendable {
    private let records: SideRecords
    private let time: any TimeSource
    private let removeKey: @Sendable (StoredKey) -> Void

    /// Creates the store.
    ///
    /// - Parameters:
    ///   - records: The records beside the session.
    ///   - time: The clock by which logins expire.
    ///   - removeKey: Removes the key of a login that ends while the user is in the browser.
    init(records: SideRecords, time: any TimeSource, removeKey: @escaping @Sendable (StoredKey) -> Void) {
        (self.records, self.time, self.removeKey) = (records, time, removeKey)
    }

    /// Returns the logins that haven't expired.
    func logins() async throws(LatchkeyError) -> PendingLogins {
        var logins = PendingLogins(decoding: try await records.read(.pendingAuthorizations))
        logins.removeExpired(at: time.now)
        return logins
    }

    /// Returns the logins that were interrupted after the provider's answer.
    func interrupted() async throws(LatchkeyError) -> [PendingLogin] {
        try await logins().logins.filter(\.progress.isInterrupted)
    }

    /// Changes the stored logins.
    ///
    /// - Parameters:
    ///   - keptKey: A key that isn't removed with its login, because another request needs it.
    ///   - change: Changes the logins.
    /// - Returns: The value that `change` returns.
    /// - Throws: ``LatchkeyError`` if the logins can't be read or written.
    func change<Value: Sendable>(
        keeping keptKey: StoredKey? = nil,
        _ change: @escaping @Sendable (inout PendingLogins) -> Value
    ) async throws(LatchkeyError) -> Value {
        let now = time.now
        let (value, dropped) = try await records.update(.pendingAuthorizations) { bytes in
            let former = PendingLogins(decoding: bytes)
            var logins = former
            logins.removeExpired(at: now)
            let value = change(&logins)
            bytes = logins.encoded
            return (value, former.logins.filter { logins[$0.state] == nil && $0.progress == .waiting })
        }
        // Their keys are of no use anymore. The other logins' keys are those of sessions, or are still needed.
        for login in dropped where login.key != keptKey { removeKey(login.key) }
        return value
    }

    /// Removes a login, if it can be.
    func remove(_ state: Secret) async {
        _ = try? await change { $0.take(state) }
    }

    /// Removes a login, if it can be, unless the provider has answered.
    ///
    /// - Parameters:
    ///   - state: The state of the login.
    ///   - key: The key of the login if another request needs it.
    func forget(_ state: Secret, keeping key: StoredKey? = nil) async {
        _ = try? await change(keeping: key) { $0[state]?.progress == .waiting ? $0.take(state) : nil }
    }

    /// Notes that a login has failed, so that the process that waits for it learns of it.
    ///
    /// The key of the login must have been removed.
    func fail(_ login: PendingLogin, isRefused: Bool) async {
        _ = try? await change(keeping: login.key) { $0.fail(login, isRefused: isRefused) }
    }

    /// Removes the logins that have expired since the app was ended.
    func removeExpired() async {
        guard let stored = try? await records.read(.pendingAuthorizations),
            PendingLogins(decoding: stored) != (try? await logins())
        else { return }
        _ = try? await change { _ in }
    }
}
