package import LatchkeyCrypto
package import LatchkeyModel
package import LatchkeyServerKit

/// The access token signing keys, cached from the database and rotated when a change is due.
///
/// A cached snapshot is used for at most one hour. Nodes that rotate at the same time agree on one key, as
/// the number of a key is unique in the database.
///
/// The value can be used from any task. Concurrent calls with an outdated snapshot may each read the keys;
/// the last result is cached.
package final class SigningKeyRing: Sendable {
    /// The current signing key.
    package struct Signing: Sendable {
        /// The private key (ECDSA on P-256).
        package let key: SigningKey
        /// The JWS header of the tokens that the key signs.
        package let header: [UInt8]
    }

    /// A snapshot of all keys, which is used from the time it was read until the next read is due.
    private struct Loaded: Sendable {
        let records: [SigningKeyRecord]
        /// The same keys as the rotation sees them.
        let slots: [KeyRotation.Slot]
        /// The private keys by number; without those that could not be decrypted.
        let opened: [Int64: Signing]
        /// The public keys by `kid`.
        let verifying: [String: VerifyingKey]
        /// The time of the read; the snapshot is not used for earlier times, after the clock was set back.
        let from: Timestamp
        /// The time from which the keys are read again.
        let until: Timestamp
    }

    /// The maximum clock skew of token verifiers, added to the retention of keys.
    private static let skew = Duration.seconds(300)

    private let repository: SigningKeyRepository
    private let sealer: SigningKeySealer
    private let rotation: KeyRotation
    /// The latest snapshot; `nil` until the first use.
    private let loaded = Locked<Loaded?>(nil)

    /// Creates the key ring; keys are read or created on first use.
    ///
    /// - Parameters:
    ///   - database: The database of the keys, shared by all nodes.
    ///   - secrets: The server secrets that encrypt private keys.
    ///   - random: The source of randomness for the encryption.
    ///   - settings: The source of the lifespans of keys and access tokens.
    package init(
        database: any Database,
        secrets: ServerSecrets,
        random: any RandomSource,
        settings: TokenSettings
    ) {
        repository = SigningKeyRepository(database: database)
        sealer = SigningKeySealer(secrets, random: random)
        rotation = KeyRotation(
            lifespan: settings.keyLifespan,
            notice: settings.keyNotice,
            afterlife: settings.accessLifespan + Self.skew
        )
    }

    /// Returns the key that signs at a time; rotates the keys first if a change is due.
    ///
    /// Of several keys whose start time has come, the one with the highest number signs.
    ///
    /// - Throws: ``CryptoError`` if there is no usable key; ``DatabaseError``.
    package func signing(at now: Timestamp) async throws -> Signing {
        let loaded = try await current(at: now)
        guard
            let slot = KeyRotation.signing(loaded.slots, at: now), let signing = loaded.opened[slot.number]
        else { throw CryptoError(.failed, "No signing key for access tokens is available.") }
        return signing
    }

    /// Returns the public key with an id, for verification; `nil` if it is unknown.
    ///
    /// A key that another node has created since the last read is unknown until the snapshot is outdated.
    ///
    /// - Parameters:
    ///   - keyID: The `kid` of a token: the JWK thumbprint (RFC 7638) in base64url.
    ///   - now: The current time.
    /// - Returns: The key, which may not sign yet or not sign any more.
    /// - Throws: ``CryptoError`` if a due rotation fails; ``DatabaseError``.
    package func verifying(_ keyID: String, at now: Timestamp) async throws -> VerifyingKey? {
        try await current(at: now).verifying[keyID]
    }

    /// Returns all keys to publish: the next one, the current one, and those whose tokens may not have
    /// expired.
    ///
    /// They are sorted by age, the oldest first. A key is retained for the lifespan of an access token and
    /// five minutes after its successor has begun to sign.
    ///
    /// - Throws: ``CryptoError`` if a due rotation fails; ``DatabaseError``.
    package func published(at now: Timestamp) async throws -> [(id: String, key: VerifyingKey)] {
        try await current(at: now).records.map { ($0.keyID, $0.publicKey) }
    }

    /// Returns the cached snapshot; if it is outdated, reads the keys again and rotates them if due.
    ///
    /// The transaction that rotates is preceded and followed by a read, so the result contains the key that
    /// won if several nodes rotate at once.
    ///
    /// - Throws: ``CryptoError`` if a key cannot be generated or encrypted, or a stored one is damaged;
    ///   ``DatabaseError``.
    private func current(at now: Timestamp) async throws -> Loaded {
        if let loaded = loaded.withLock({ $0 }), loaded.from <= now, now < loaded.until { return loaded }
        var records = try await repository.all()
        // A key that another node adds in the meantime is found by the second read; no further one is needed.
        let plan = rotation.plan(records.map(slot), at: now)
        if !plan.isEmpty {
            let next = try plan.next.map { try sealer.seal(SigningKey.generate(), for: $0) }
            try await repository.change(adding: next, deleting: plan.outlived, at: now)
            records = try await repository.all()
        }
        let fresh = load(records, at: now)
        loaded.withLock { $0 = fresh }
        return fresh
    }

    /// Returns the properties of a stored key for the rotation; decrypts the key to determine whether it can
    /// sign.
    private func slot(_ record: SigningKeyRecord) -> KeyRotation.Slot {
        KeyRotation.Slot(
            number: record.number,
            signsFrom: record.signsFrom,
            isUsable: sealer.open(record) != nil
        )
    }

    /// Returns a snapshot of stored keys, valid for a quarter of the publication time and at most one hour.
    private func load(_ records: [SigningKeyRecord], at now: Timestamp) -> Loaded {
        var opened: [Int64: Signing] = [:]
        var verifying: [String: VerifyingKey] = [:]
        for record in records {
            let id = record.keyID
            verifying[id] = record.publicKey
            guard let key = sealer.open(record) else { continue }
            opened[record.number] = Signing(key: key, header: AccessTokenIssuer.header(keyID: id))
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
            // The interval is short enough to read another node's next key long before it signs.
            until: now + min(rotation.notice / 4, .seconds(3600))
        )
    }
}
