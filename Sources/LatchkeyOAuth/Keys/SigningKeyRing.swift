package import LatchkeyCrypto
package import LatchkeyModel
package import LatchkeyServerKit

/// The access token signing keys.
///
/// The key ring caches the keys and rotates them when necessary. Keys that have been read from the database
/// are used for at most one hour. If several nodes rotate the keys at the same time, all of them use the same
/// new key, because key numbers are unique in the database.
///
/// Key rings can be used from any task. If several tasks find that the cache is outdated, each of them may
/// read the keys, and the last result is cached.
package final class SigningKeyRing: Sendable {
    /// The current signing key.
    package struct Signing: Sendable {
        /// The private key (ECDSA on P-256).
        package let key: SigningKey
        /// The `kid` of the key: its JWK thumbprint (RFC 7638) in base64url.
        let id: String
        /// The JWS header of the access tokens that are signed with this key.
        package let header: [UInt8]
    }

    /// A snapshot of all keys, which is used until the keys need to be read again.
    private struct Loaded: Sendable {
        let records: [SigningKeyRecord]
        /// The properties of the same keys that matter for the rotation.
        let slots: [KeyRotation.Slot]
        /// The private keys that could be decrypted.
        ///
        /// The dictionary is keyed by key number.
        let opened: [Int64: Signing]
        /// The public keys.
        ///
        /// The dictionary is keyed by `kid`.
        let verifying: [String: VerifyingKey]
        /// When the keys were read.
        ///
        /// If the clock is set back to an earlier time, the snapshot isn't used.
        let from: Timestamp
        /// When the snapshot expires and the keys must be read again.
        let until: Timestamp
    }

    /// The maximum clock skew of servers that verify tokens.
    ///
    /// We keep keys for this long after the last token that they signed has expired.
    private static let skew = Duration.seconds(300)

    private let repository: SigningKeyRepository
    private let sealer: SigningKeySealer
    private let rotation: KeyRotation
    /// The latest snapshot, or `nil` if the keys haven't been read yet.
    private let loaded = Locked<Loaded?>(nil)

    /// Creates a key ring.
    ///
    /// The keys are read, or created, when they are first needed.
    ///
    /// - Parameters:
    ///   - database: The database that contains the keys. The database is shared by all nodes.
    ///   - secrets: The server's secrets, which are used to encrypt the private keys.
    ///   - random: The random source for the encryption.
    ///   - settings: Specifies the lifespans of keys and access tokens.
    ///   - otherLifespan: The longest lifespan of any other tokens that are signed with the keys, or zero if
    ///     there are none.
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

    /// Returns the key to sign with at the given time.
    ///
    /// If a rotation is due, the keys are rotated first. If the start times of several keys have passed, the
    /// newest of these keys is returned.
    ///
    /// - Throws: ``CryptoError`` if there is no usable key, or ``DatabaseError``.
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
    ///   - payload: The payload, as JSON.
    ///   - type: The type in the header (`typ`), which must differ from that of access tokens.
    ///   - now: The current time.
    /// - Returns: The JWS in compact serialization.
    /// - Throws: Any error thrown by ``signing(at:)``.
    package func sign(_ payload: [UInt8], type: String, at now: Timestamp) async throws -> Secret {
        let signing = try await signing(at: now)
        let header = AccessTokenIssuer.header(type: type, keyID: signing.id)
        return try CompactJWS.sign(payload, header: header, with: signing.key)
    }

    /// Returns the public key with the given id, or `nil` if the id is unknown.
    ///
    /// If another node has created a key since the keys were last read, the key is unknown until the snapshot
    /// expires.
    ///
    /// - Parameters:
    ///   - keyID: The `kid` of a token: the JWK thumbprint (RFC 7638) of the key in base64url.
    ///   - now: The current time.
    /// - Returns: The key, which may not be in use yet or may no longer be in use.
    /// - Throws: ``CryptoError`` if a required key rotation failed, or ``DatabaseError``.
    package func verifying(_ keyID: String, at now: Timestamp) async throws -> VerifyingKey? {
        try await current(at: now).verifying[keyID]
    }

    /// Returns all keys to publish.
    ///
    /// The result contains the next key, the current key, and older keys whose tokens may still be valid,
    /// starting with the oldest key. A key is retained for the lifespan of an access token plus five minutes
    /// after its successor has started signing.
    ///
    /// - Throws: ``CryptoError`` if a required key rotation failed, or ``DatabaseError``.
    package func published(at now: Timestamp) async throws -> [(id: String, key: VerifyingKey)] {
        try await current(at: now).records.map { ($0.keyID, $0.publicKey) }
    }

    /// Returns the current snapshot.
    ///
    /// If the cached snapshot is outdated, the keys are read again and, if necessary, rotated. The keys are
    /// read both before and after the transaction that rotates them. If several nodes rotate the keys at the
    /// same time, the second read makes sure that we use the key that was stored.
    ///
    /// - Throws: ``CryptoError`` if a key cannot be generated or encrypted or if a stored key is damaged, or
    ///   ``DatabaseError``.
    private func current(at now: Timestamp) async throws -> Loaded {
        if let loaded = loaded.withLock({ $0 }), loaded.from <= now, now < loaded.until { return loaded }
        var records = try await repository.all()
        // The second read also finds keys that another node has added in the meantime, so we don't need a
        // third one.
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

    /// Returns the properties of a stored key that matter for the rotation.
    ///
    /// The private key is decrypted to find out whether it is usable.
    private func slot(_ record: SigningKeyRecord) -> KeyRotation.Slot {
        KeyRotation.Slot(
            number: record.number,
            signsFrom: record.signsFrom,
            isUsable: sealer.open(record) != nil
        )
    }

    /// Creates a snapshot of the stored keys.
    ///
    /// The snapshot is valid for a quarter of the time that a key is published in advance, but at most one
    /// hour.
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
            // The limit of a quarter of the notice period ensures that this node finds a key created by
            // another node long before that key is used.
            until: now + min(rotation.notice / 4, .seconds(3600))
        )
    }
}
