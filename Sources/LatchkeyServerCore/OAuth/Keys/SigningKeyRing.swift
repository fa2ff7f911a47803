package import LatchkeyCrypto
package import LatchkeyModel

/// The keys of access tokens, read from the database now and then, and rotated when it is time.
package final class SigningKeyRing: Sendable {
    /// The key that signs now.
    package struct Signing: Sendable {
        package let key: SigningKey
        /// The header of what it signs.
        package let header: [UInt8]
    }

    private struct Loaded: Sendable {
        let records: [SigningKeyRecord]
        let slots: [KeyRotation.Slot]
        let opened: [Int64: Signing]
        let verifying: [String: VerifyingKey]
        let from: Timestamp
        let until: Timestamp
    }

    /// Clocks of those who verify may be behind.
    private static let skew = Duration.seconds(300)

    private let repository: SigningKeyRepository
    private let sealer: SigningKeySealer
    private let rotation: KeyRotation
    private let loaded = Locked<Loaded?>(nil)

    package init(
        database: any Database,
        secrets: ServerSecrets,
        random: any RandomSource,
        settings: ServerSettings
    ) {
        repository = SigningKeyRepository(database: database)
        sealer = SigningKeySealer(secrets, random: random)
        rotation = KeyRotation(
            lifespan: settings.signingKeyLifespan,
            notice: settings.signingKeyNotice,
            afterlife: settings.accessTokenLifespan + Self.skew
        )
    }

    /// The key that signs at a time.
    package func signing(at now: Timestamp) async throws -> Signing {
        let loaded = try await current(at: now)
        guard
            let slot = KeyRotation.signing(loaded.slots, at: now), let signing = loaded.opened[slot.number]
        else { throw CryptoError(.failed, "There is no key to sign access tokens with.") }
        return signing
    }

    /// The key of an id, to verify with.
    package func verifying(_ keyID: String, at now: Timestamp) async throws -> VerifyingKey? {
        try await current(at: now).verifying[keyID]
    }

    /// All keys that are to be published: the next one, the one that signs, and those before it.
    package func published(at now: Timestamp) async throws -> [(id: String, key: VerifyingKey)] {
        try await current(at: now).records.map { ($0.keyID, $0.publicKey) }
    }

    private func current(at now: Timestamp) async throws -> Loaded {
        if let loaded = loaded.withLock({ $0 }), loaded.from <= now, now < loaded.until { return loaded }
        var records = try await repository.all()
        // What another node adds meanwhile is found by reading again; more than once is not needed.
        let plan = rotation.plan(records.map(slot), at: now)
        if !plan.isEmpty {
            let next = try plan.next.map { try sealer.seal(SigningKey.generate(), $0) }
            try await repository.change(adding: next, deleting: plan.outlived, at: now)
            records = try await repository.all()
        }
        let fresh = load(records, at: now)
        loaded.withLock { $0 = fresh }
        return fresh
    }

    private func slot(_ record: SigningKeyRecord) -> KeyRotation.Slot {
        KeyRotation.Slot(
            number: record.number,
            signsFrom: record.signsFrom,
            isUsable: sealer.open(record) != nil
        )
    }

    private func load(_ records: [SigningKeyRecord], at now: Timestamp) -> Loaded {
        var opened: [Int64: Signing] = [:]
        var verifying: [String: VerifyingKey] = [:]
        for record in records {
            let id = record.keyID
            verifying[id] = record.publicKey
            guard let key = sealer.open(record) else { continue }
            opened[record.number] = Signing(key: key, header: AccessTokens.header(keyID: id))
        }
        return Loaded(
            records: records,
            slots: records.map {
                KeyRotation.Slot(
                    number: $0.number,
                    signsFrom: $0.signsFrom,
                    isUsable: opened[$0.number] != nil
                )
            },
            opened: opened,
            verifying: verifying,
            from: now,
            // Often enough to learn of another node's next key long before it signs.
            until: now + min(rotation.notice / 4, .seconds(3600))
        )
    }
}
