package import LatchkeyCrypto
package import LatchkeyModel
package import LatchkeyServerKit

/// The access token signing keys, which are cached from the database and rotated when a change is due.
///
/// A cached snapshot is used for at most one hour. Nodes that rotate at the same time agree on one key,
/// because the number of a key is unique in the database.
///
/// The object can be used from any task. If the snapshot is outdated, several concurrent calls may read the
/// keys; the last result is cached.
package final class SigningKeyRing: Sendable {
    /// The current signing key.
    package struct Signing: Sendable {
        /// The private key (ECDSA on P-256).
        package let key: SigningKey
        /// The `kid` of the key, which is the JWK thumbprint (RFC 7638) in base64url.
        let id: String
        /// The JWS header for the access tokens that the key signs.
        package let header: [UInt8]
    }

    /// A snapshot of all keys, which is used from the time at which it was read until the next read is due.
    private struct Loaded: Sendable {
        let records: [SigningKeyRecord]
        /// The properties of the same keys that are relevant for the rotation.
        let slots: [KeyRotation.Slot]
        /// The private keys that could be decrypted, keyed by number.
        let opened: [Int64: Signing]
        /// The public keys, keyed by `kid`.
        let verifying: [String: VerifyingKey]
        /// The time of the read; the snapshot is not used for earlier times, which occur if the clock is set
        /// back.
        let from: Timestamp
        /// The time at which the snapshot expires and the keys must be read again.
        let until: Timestamp
    }

    /// The maximum clock skew of token verifiers, which is added to the retention of keys.
    private static let skew = Duration.seconds(300)

    private let repository: SigningKeyRepository
    private let sealer: SigningKeySealer
    private let rotation: KeyRotation
    /// The latest snapshot; `nil` until the first use.
    private let loaded = Locked<Loaded?>(nil)

    /// Creates the key ring; keys are read or created on first use.
    ///
    /// - Parameters:
    ///   - database: The database with the keys, which all nodes share.
    ///   - secrets: The server secrets that encrypt private keys.
    ///   - random: The random source for the encryption.
    ///   - settings: The lifespans of keys and access tokens.
    ///   - otherLifespan: The longest lifespan of other tokens that the keys sign; zero if there are none.
    package init(
        database: any Database,
        secrets: ServerSecrets,
        random: any RandomSource,
        settings: TokenSettings,
        otherLifespan: Duration = .zero
    ) {
        repository = SigningKeyRepository(database: database)
        sealer = SigningKeySealer(secrets, random: random)
        rotation = KeyRotation(
            lifespan: settings.keyLifespan,
            notice: settings.keyNotice,
            afterlife: max(settings.accessLifespan, otherLifespan) + Self.skew
        )
    }

    /// Returns the key that signs at the given time; if a change is due, rotates the keys first.
    ///
    /// If several keys have reached their start time, the key with the highest number signs.
    ///
    /// - Throws: ``CryptoError`` if there is no usable key; ``DatabaseError``.
    package func signing(at now: Timestamp) async throws -> Signing {
        let loaded = try await current(at: now)
        guard
            let slot = KeyRotation.signing(loaded.slots, at: now), let signing = loaded.opened[slot.number]
        else { throw CryptoError(.failed, "No signing key for access tokens is available.") }
        return signing
    }

    /// Signs a payload that is not an access token.
    ///
    /// - Parameters:
    ///   - payload: The payload, which is JSON.
    ///   - type: The type in the header (`typ`), which distinguishes the token from access tokens.
    ///   - now: The current time.
    /// - Returns: The JWS in compact serialization.
    /// - Throws: The errors of ``signing(at:)``.
    package func sign(_ payload: [UInt8], type: String, at now: Timestamp) async throws -> Secret {
        let signing = try await signing(at: now)
        let header = AccessTokenIssuer.header(type: type, keyID: signing.id)
        return try CompactJWS.sign(payload, header: header, with: signing.key)
    }

    /// Returns the public key with the given id, for verification; `nil` if it is unknown.
    ///
    /// A key that another node has created since the last read is unknown until the snapshot expires.
    ///
    /// - Parameters:
    ///   - keyID: The `kid` of a token, which is the JWK thumbprint (RFC 7638) in base64url.
    ///   - now: The current time.
    /// - Returns: The key, which may not sign yet or may no longer sign.
    /// - Throws: ``CryptoError`` if a due rotation fails; ``DatabaseError``.
    package func verifying(_ keyID: String, at now: Timestamp) async throws -> VerifyingKey? {
        try await current(at: now).verifying[keyID]
    }

    /// Returns all keys to publish: the next key, the current key, and keys whose tokens may not have
    /// expired.
    ///
    /// They are sorted by age, oldest first. After its successor has begun to sign, a key is retained for the
    /// lifespan of an access token plus five minutes.
    ///
    /// - Throws: ``CryptoError`` if a due rotation fails; ``DatabaseError``.
    package func published(at now: Timestamp) async throws -> [(id: String, key: VerifyingKey)] {
        try await current(at: now).records.map { ($0.keyID, $0.publicKey) }
    }

    /// Returns the cached snapshot; if it is outdated, reads the keys again and rotates them if a change is
    /// due.
    ///
    /// The keys are read before and after the transaction that rotates them, so if several nodes rotate at
    /// once, the result contains the key that was stored.
    ///
    /// - Throws: ``CryptoError`` if a key cannot be generated or encrypted, or if a stored key is damaged;
    ///   ``DatabaseError``.
    private func current(at now: Timestamp) async throws -> Loaded {
        if let loaded = loaded.withLock({ $0 }), loaded.from <= now, now < loaded.until { return loaded }
        var records = try await repository.all()
        // The second read finds a key that another node has added in the meantime, so no third read is
        // needed.
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

    /// Returns the properties of a stored key for the rotation, and decrypts the key to determine whether it
    /// can sign.
    private func slot(_ record: SigningKeyRecord) -> KeyRotation.Slot {
        KeyRotation.Slot(
            number: record.number,
            signsFrom: record.signsFrom,
            isUsable: sealer.open(record) != nil
        )
    }

    /// Returns a snapshot of stored keys, which is valid for a quarter of the publication time but at most
    /// one hour.
    private func load(_ records: [SigningKeyRecord], at now: Timestamp) -> Loaded {
        var opened: [Int64: Signing] = [:]
        var verifying: [String: VerifyingKey] = [:]
        for record in records {
            let id = record.keyID
            verifying[id] = record.publicKey
            guard let key = sealer.open(record) else { continue }
            opened[record.number] = Signing(
                key: key,
                id: id,
                header: AccessTokenIssuer.header(keyID: id)
            )
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
            // The interval is short enough that this node finds another node's new key long before that key
            // begins to sign.
            until: now + min(rotation.notice / 4, .seconds(3600))
        )
    }
}
