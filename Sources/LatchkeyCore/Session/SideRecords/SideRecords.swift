import LatchkeyModel

/// Stores small values on this device alongside the session, such as data that is needed across several
/// calls.
///
/// The values are kept in the same kind of storage as the session. Values expire, and there are limits on
/// their number and size. All processes of the app share the values. If another process changes the values
/// while a change is being made, the change is repeated. After a sign-out, the values that don't outlive it
/// can no longer be read, and changes that began before the sign-out aren't written.
package struct SideRecords: Sendable {
    private let keeper: SessionKeeper
    private let time: any TimeSource

    init(keeper: SessionKeeper, time: any TimeSource) {
        (self.keeper, self.time) = (keeper, time)
    }

    /// Reads a stored value.
    ///
    /// - Parameter kind: The kind of value.
    /// - Returns: The bytes, or `nil` if the value doesn't exist, has expired or belonged to another login, or
    ///   if the stored values are damaged. The next change discards damaged values.
    /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/signedOut`` if the value is tied to a
    ///   login and no user is logged in, or if the user signed out during the call. If the store could not be
    ///   read, a storage error is thrown.
    package func read(_ kind: SideRecordKind) async throws(LatchkeyError) -> [UInt8]? {
        try await perform(on: kind) { [keeper, time] access throws(SessionStoreError) in
            let store = try keeper.record.sideStore(for: kind.scope)
            let entry = try SideRecordContainer.readUndamaged(store).entry(kind, of: access.login)
            guard access.isCurrent(keeper) else { throw .unwanted }
            return entry.flatMap { $0.expiresAt > time.now ? $0.bytes : nil }
        }
    }

    /// Creates, changes or removes a stored value.
    ///
    /// - Parameters:
    ///   - kind: The kind of value. Each change extends the value's expiry date.
    ///   - change: A closure that changes the bytes. To remove the value, it sets them to `nil`. The closure
    ///     is called again with the current bytes if another process changed the stored values in the
    ///     meantime. If several callers remove the same value at the same time, only one of them receives the
    ///     bytes when its closure is called for the last time.
    /// - Returns: The value returned by the last call to `change`.
    /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/signedOut`` if the value is tied to a
    ///   login and no user is logged in, or if the user signed out during the call. If the change could not
    ///   be written or a limit was exceeded, a storage error is thrown.
    package func update<Value: Sendable>(
        _ kind: SideRecordKind,
        change: @escaping @Sendable (inout [UInt8]?) -> Value
    ) async throws(LatchkeyError) -> Value {
        try await perform(on: kind) { [keeper, time] access throws(SessionStoreError) in
            let store = try keeper.record.sideStore(for: kind.scope)
            try access.confirm(keeper.record)
            return try SideRecordContainer.update(store, while: { access.isCurrent(keeper) }) {
                container throws(SessionStoreError) in
                let now = time.now
                container.removeExpired(at: now)
                let former = container.entry(kind, of: access.login)?.bytes
                var bytes = former
                let value = change(&bytes)
                if bytes != former { try container.set(kind, to: bytes, of: access.login, at: now) }
                return value
            }
        }
    }

    /// Performs an operation on the queue for blocking work.
    private func perform<Value: Sendable>(
        on kind: SideRecordKind,
        _ operation: @escaping @Sendable (Access) throws(SessionStoreError) -> Value
    ) async throws(LatchkeyError) -> Value {
        let access = try await access(to: kind)
        let outcome = await keeper.queue.run { () -> Result<Value, SessionStoreError> in
            do throws(SessionStoreError) {
                return .success(try operation(access))
            } catch {
                return .failure(error)
            }
        }
        switch outcome {
        case .success(let value): return value
        case .failure(let error):
            // Another process may have ended or replaced the login.
            if error.code == .conflict { await keeper.ready(again: true) }
            guard access.isCurrent(keeper) else { throw .notSignedIn }
            throw LatchkeyError(store: error)
        }
    }

    /// Determines which conditions must hold while an operation accesses a value.
    private func access(to kind: SideRecordKind) async throws(LatchkeyError) -> Access {
        guard kind.lifetime == .login else {
            return Access(
                lifetime: kind.lifetime,
                signOuts: keeper.keeperState.withLock { $0.machine.signOuts }
            )
        }
        await keeper.ready()
        let (held, signOuts) = keeper.keeperState.withLock { ($0.held, $0.machine.signOuts) }
        guard let held else {
            if case .unavailable(.store(let error)) = keeper.state { throw LatchkeyError(store: error) }
            throw .notSignedIn
        }
        return Access(lifetime: kind.lifetime, signOuts: signOuts, login: held.stored.login)
    }

    /// The conditions that must hold while an operation accesses a value.
    private struct Access: Sendable {
        var lifetime: SideRecordKind.Lifetime
        /// The number of times that the user had signed out when the operation began.
        var signOuts: UInt32
        /// The login that the value belongs to, or `nil` if it isn't tied to a login.
        var login: LoginID?

        /// Returns whether the value is still accessible, which is the case until the user signs out or
        /// another login replaces the current one.
        func isCurrent(_ keeper: SessionKeeper) -> Bool {
            lifetime == .device
                || keeper.keeperState.withLock { state in
                    state.machine.signOuts == signOuts && (login == nil || state.held?.stored.login == login)
                }
        }

        /// Checks that no other process has replaced the login in the store.
        ///
        /// This check prevents us from overwriting a value that belongs to a login created by another
        /// process.
        func confirm(_ record: SessionRecord) throws(SessionStoreError) {
            guard let login else { return }
            switch record.read() {
            case .present(let stored, _) where stored.login == login: return
            case .unavailable(let error): throw error
            case .present, .absent:
                throw SessionStoreError(.conflict, message: "The login has ended or was replaced.")
            }
        }
    }
}

extension SideRecordContainer {
    /// Sets the bytes of a value, or removes the value if the bytes are `nil`.
    ///
    /// - Throws: ``SessionStoreError`` if the value is too large or there are too many values.
    fileprivate mutating func set(
        _ kind: SideRecordKind,
        to bytes: [UInt8]?,
        of login: LoginID?,
        at now: Timestamp
    ) throws(SessionStoreError) {
        // If the clock isn't set yet, the value would expire as soon as it is.
        let expiresAt = now.isFromClock ? now + kind.lifespan : .latest
        entries[kind.name] = bytes.map { Entry(bytes: $0, expiresAt: expiresAt, login: login) }
        guard bytes?.count ?? 0 <= SideRecordKind.byteLimit else {
            throw SessionStoreError(
                .failed,
                message: "The side record is larger than \(SideRecordKind.byteLimit) bytes."
            )
        }
        guard entries.count <= Self.countLimit else {
            throw SessionStoreError(
                .failed,
                message: "There are more than \(Self.countLimit) side records."
            )
        }
    }
}

extension SessionKeeper {
    /// Removes the values that are tied to a login that has ended.
    ///
    /// Even if this fails, the values can no longer be read.
    func removeSideRecords(of login: LoginID) {
        do throws(SessionStoreError) {
            try SideRecordContainer.update(record.sideStore(for: .login), while: { true }) { container in
                container.entries = container.entries.filter { $0.value.login != login }
            }
        } catch {
            // We can ignore the error, because the values are removed by the next change to a value of the
            // same kind, or by the next sign-out.
        }
    }
}
