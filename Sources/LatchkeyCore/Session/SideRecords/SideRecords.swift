import LatchkeyModel

/// The side records of this device: small pieces of data that outlive a call but are not part of the session.
///
/// They are stored in the same kind of storage as the session, are bounded in number and size, and end with
/// their lifespan. All processes of the app share them; a change that is based on an outdated record is made
/// again. After a sign-out, those that end with it can no longer be read, and a change that began before the
/// sign-out is not written.
package struct SideRecords: Sendable {
    private let keeper: SessionKeeper
    private let time: any TimeSource

    init(keeper: SessionKeeper, time: any TimeSource) {
        (self.keeper, self.time) = (keeper, time)
    }

    /// Reads a side record.
    ///
    /// - Parameter kind: The kind of record.
    /// - Returns: The bytes, or `nil` if there is no record, it has expired or it belonged to another login.
    /// - Throws: ``LatchkeyError``: ``LatchkeyError/Code/signedOut`` if the record belongs to a login and no
    ///   user is logged in, or the user signed out in the meantime; a storage error if the store could not be
    ///   read.
    package func read(_ kind: SideRecordKind) async throws(LatchkeyError) -> [UInt8]? {
        try await perform(on: kind) { [keeper, time] access throws(SessionStoreError) in
            let store = try keeper.record.sideStore(for: kind.scope)
            let entry = try SideRecordContainer.read(store).container.entry(kind, of: access.login)
            guard access.isCurrent(keeper) else { throw .unwanted }
            return entry.flatMap { $0.expiresAt > time.now ? $0.bytes : nil }
        }
    }

    /// Changes, creates or removes a side record.
    ///
    /// - Parameters:
    ///   - kind: The kind of record. Its lifespan begins anew with each change.
    ///   - change: Sets the bytes, or `nil` to remove the record. Called again with the current bytes if
    ///     another process has changed the side records in between. If several callers remove a record, only
    ///     one of them is last called with its bytes.
    /// - Returns: The value that `change` returned last.
    /// - Throws: ``LatchkeyError``: ``LatchkeyError/Code/signedOut`` if the record belongs to a login and no
    ///   user is logged in, or the user signed out in the meantime; a storage error if the change could not be
    ///   written, or the limits were exceeded.
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

    /// Returns the conditions under which an operation may access a record.
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

    /// The conditions under which an operation may access a record.
    private struct Access: Sendable {
        var lifetime: SideRecordKind.Lifetime
        /// The number of sign-outs when the operation began.
        var signOuts: UInt32
        /// The login that the record belongs to, or `nil`.
        var login: LoginID?

        /// Returns whether neither a sign-out nor another login has ended the record since.
        func isCurrent(_ keeper: SessionKeeper) -> Bool {
            lifetime == .device
                || keeper.keeperState.withLock { state in
                    state.machine.signOuts == signOuts && (login == nil || state.held?.stored.login == login)
                }
        }

        /// Checks with the store that no other process has replaced the login.
        ///
        /// A change must not replace a side record of a login that this process does not know yet.
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
    /// Sets the bytes of a record, or removes it.
    ///
    /// - Throws: ``SessionStoreError`` if the record is too large, or there are too many of them.
    fileprivate mutating func set(
        _ kind: SideRecordKind,
        to bytes: [UInt8]?,
        of login: LoginID?,
        at now: Timestamp
    ) throws(SessionStoreError) {
        entries[kind.name] = bytes.map { Entry(bytes: $0, expiresAt: now + kind.lifespan, login: login) }
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
    /// Removes the side records of a login that has ended; they can no longer be read in any case.
    func removeSideRecords(of login: LoginID) {
        do throws(SessionStoreError) {
            try SideRecordContainer.update(record.sideStore(for: .login), while: { true }) { container in
                container.entries = container.entries.filter { $0.value.login != login }
            }
        } catch {
            // The next change of a side record of the same kind, or the next sign-out, removes them.
        }
    }
}
