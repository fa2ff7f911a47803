import LatchkeyModel

/// Revokes sessions on the identity server that have ended on this device, because the user signed out or
/// another login replaced them.
///
/// Tokens are stored on the device until the server has responded to the revocation. The tokens are therefore
/// also revoked if the device is offline or the process exits. They aren't used for any other purpose.
/// Entries expire after 30 days. If there are more than ``entryLimit`` entries, the oldest ones are removed.
package final class RevocationOutbox: Sendable {
    /// The maximum number of tokens in the outbox.
    static let entryLimit = 64

    private struct State {
        /// The entries that haven't been stored yet.
        var added: [RevocationEntry] = []
        /// The task that is currently trying to send all entries.
        var round: Task<Void, Never>?
        /// A task that waits until it is time to send the entries again.
        var pause: Task<Void, Never>?
        var backoff = Backoff()
    }

    private let api: IdentityAPI
    /// Ends grants, or `nil` if the app isn't registered at an OpenID provider.
    private let grants: (any GrantProvider)?
    /// Ends an encoded login in a browser, and returns whether it left no session and no grant.
    private let endLogin: (@Sendable (Secret) async -> Bool)?
    private let records: SideRecords
    private let time: any TimeSource
    private let random: any RandomSource
    private let state = Locked(State())

    init(
        api: IdentityAPI,
        grants: (any GrantProvider)?,
        endLogin: (@Sendable (Secret) async -> Bool)?,
        records: SideRecords,
        time: any TimeSource,
        random: any RandomSource
    ) {
        (self.api, self.grants, self.endLogin) = (api, grants, endLogin)
        (self.records, self.time, self.random) = (records, time, random)
    }

    deinit {
        state.withLock { $0.pause }?.cancel()
    }

    /// Revokes the credential of a login that has ended.
    ///
    /// The request is sent in the background.
    ///
    /// This method returns immediately and may be called while holding locks.
    func add(_ credential: StoredCredential) {
        start(adding: [RevocationEntry(credential, addedAt: time.now)])
    }

    /// Ends what a login in a browser, which won't be completed, has left at the provider.
    ///
    /// The requests are sent in the background.
    ///
    /// - Parameter login: The encoded login.
    /// - Throws: ``LatchkeyError`` if the login can't be stored.
    func add(login: Secret) async throws(LatchkeyError) {
        let now = time.now
        try await records.update(.revocationOutbox) { bytes in
            var record = RevocationRecord(decoding: bytes, at: now)
            record.add([RevocationEntry(kind: .login, token: login, addedAt: now)])
            bytes = record.encoded
        }
        start()
    }

    /// The encoded logins in a browser that have not been ended yet.
    var logins: [Secret] {
        get async { ((try? await record())?.entries ?? []).filter { $0.kind == .login }.map(\.token) }
    }

    /// Revokes the credentials that earlier processes have left in the outbox.
    ///
    /// The requests are sent in the background.
    package func start() {
        start(adding: [])
    }

    /// Waits until no entries are being sent.
    ///
    /// - Returns: `true` if the outbox is empty, which means that all sessions have been revoked. Entries that
    ///   only a newer version of the app can send also count.
    package func settle() async -> Bool {
        while let round = state.withLock({ $0.round }) { await round.value }
        guard state.withLock({ $0.added.isEmpty }) else { return false }
        do throws(LatchkeyError) {
            return try await record().isEmpty
        } catch {
            return false
        }
    }

    private func start(adding entries: [RevocationEntry]) {
        state.withLock { state in
            state.added += entries
            guard state.round == nil else { return }
            state.pause?.cancel()
            state.pause = nil
            state.round = Task { [weak self] in await self?.run() }
        }
    }

    /// Sends all entries that this version can send.
    ///
    /// If an entry can't be sent, a delay begins before the next attempt.
    private func run() async {
        while true {
            let isEmpty = await sendAll()
            let isDone = state.withLock { state in
                guard !isEmpty || state.added.isEmpty else { return false }
                state.round = nil
                if isEmpty {
                    state.backoff = Backoff()
                } else {
                    beginPause(&state)
                }
                return true
            }
            if isDone { return }
        }
    }

    /// Begins the delay before entries that could not be sent are sent again.
    private func beginPause(_ state: inout State) {
        state.backoff.fail(at: time.uptime, random: random)
        let pause = state.backoff.remainder(at: time.uptime)
        state.pause = Task { [weak self, time] in
            guard (try? await time.sleep(for: pause)) != nil else { return }
            self?.start()
        }
    }

    /// Stores new credentials and sends all entries.
    ///
    /// - Returns: `true` if no entries are left that this version can send.
    private func sendAll() async -> Bool {
        do throws(LatchkeyError) {
            try await storeAdded()
            let record = try await record()
            if record.hasNewDates { try await storeDates() }
            var isEmpty = true
            for entry in record.entries {
                if await revoke(entry) { try await remove(entry) } else { isEmpty = false }
            }
            return isEmpty
        } catch {
            return false
        }
    }

    /// Revokes a session.
    ///
    /// - Returns: `true` if the server responded that the session is revoked or doesn't exist.
    private func revoke(_ entry: RevocationEntry) async -> Bool {
        do throws(LatchkeyError) {
            switch entry.kind {
            case .session: try await api.logOut(entry.token)
            case .refreshToken:
                if let issuer = entry.issuer, let client = entry.client {
                    guard let grants else { return false }
                    try await grants.revoke(entry.token, of: issuer, client: client)
                } else {
                    try await api.revoke(entry.token)
                }
            case .login: return await endLogin?(entry.token) ?? false
            }
            return true
        } catch {
            // The server rejects session tokens of sessions that have already ended. It accepts refresh tokens
            // of any kind (RFC 7009, section 2.2).
            guard entry.kind == .session, let refusal = error.cause as? ServerRefusal else { return false }
            return refusal.endsSessionToRevoke
        }
    }

    // MARK: The side record

    private func storeAdded() async throws(LatchkeyError) {
        let added = state.withLock { $0.added }
        guard !added.isEmpty else { return }
        let now = time.now
        try await records.update(.revocationOutbox) { bytes in
            var record = RevocationRecord(decoding: bytes, at: now)
            record.add(added)
            bytes = record.encoded
        }
        state.withLock { $0.added.removeFirst(added.count) }
    }

    /// Stores the dates of entries that had none, or one of a clock that wasn't set.
    private func storeDates() async throws(LatchkeyError) {
        let now = time.now
        try await records.update(.revocationOutbox) { bytes in
            bytes = RevocationRecord(decoding: bytes, at: now).encoded
        }
    }

    /// Returns the entries that haven't expired.
    private func record() async throws(LatchkeyError) -> RevocationRecord {
        RevocationRecord(decoding: try await records.read(.revocationOutbox), at: time.now)
    }

    private func remove(_ entry: RevocationEntry) async throws(LatchkeyError) {
        let now = time.now
        try await records.update(.revocationOutbox) { bytes in
            var record = RevocationRecord(decoding: bytes, at: now)
            record.remove(entry.token)
            bytes = record.encoded
        }
    }
}

extension ServerRefusal {
    /// Whether the response to a logout says that there is no session left to revoke.
    var endsSessionToRevoke: Bool { endsSession || (status == 403 && id == nil) }
}
