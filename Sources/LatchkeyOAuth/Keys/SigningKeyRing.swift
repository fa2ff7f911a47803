import LatchkeyAccounts
package import LatchkeyCrypto
package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// The keys that sign access tokens and other tokens, for each signature algorithm.
///
/// The key ring caches the keys and rotates them when necessary. Keys that have been read from the database
/// are used for at most one hour. If several nodes rotate the keys at the same time, all of them use the same
/// new key, because key numbers are unique in the database.
///
/// There is always a key for ES256. RSA keys for RS256 are only generated if a client or a caller needs them,
/// and in the background, because their generation takes a large part of a second.
///
/// Key rings can be used from any task. Several tasks that find that the cache is outdated wait for one read,
/// and several tasks that need an RSA key wait for one generation.
package final class SigningKeyRing: Sendable {
    /// The current signing key for an algorithm.
    package struct Signing: Sendable {
        package let key: JWSSigningKey
        /// The `kid` of the key: its JWK thumbprint (RFC 7638) in base64url.
        let id: String

        /// Signs a payload.
        ///
        /// - Parameters:
        ///   - payload: The payload, as JSON.
        ///   - type: The type in the header (`typ`).
        /// - Returns: The JWS in compact serialization.
        /// - Throws: ``CryptoError`` if OpenSSL fails.
        func sign(_ payload: [UInt8], type: String) throws(CryptoError) -> Secret {
            var header = JSONWriter(reserving: 128)
            header.object { header in
                header.name("typ")
                header.string(type)
                header.name("alg")
                header.string(key.algorithm.rawValue)
                header.name("kid")
                header.string(id)
            }
            return try CompactJWS.sign(payload, header: header.bytes, with: key)
        }
    }

    /// The keys for one algorithm, which are rotated independently of the others.
    private struct Series: Sendable {
        /// The properties of the keys that matter for the rotation.
        var slots: [KeyRotation.Slot] = []
        /// The private keys that could be decrypted.
        ///
        /// The dictionary is keyed by key number.
        var opened: [Int64: Signing] = [:]

        func signing(at now: Timestamp) -> Signing? {
            KeyRotation.signing(slots, at: now).flatMap { opened[$0.number] }
        }
    }

    /// A snapshot of all keys, which is used until the keys need to be read again.
    private struct Loaded: Sendable {
        let records: [SigningKeyRecord]
        let series: [SigningAlgorithm: Series]
        /// The public keys.
        ///
        /// The dictionary is keyed by `kid`.
        let verifying: [String: JWSVerifyingKey]
        /// When the keys were read.
        ///
        /// If the clock is set back to an earlier time, the snapshot isn't used.
        let from: Timestamp
        /// When the snapshot expires and the keys must be read again.
        let until: Timestamp

        subscript(algorithm: SigningAlgorithm) -> Series { series[algorithm] ?? Series() }
    }

    private struct State {
        /// The latest snapshot, or `nil` if the keys haven't been read yet.
        var loaded: Loaded?
        var reading: Task<Loaded, any Error>?
        /// The generation of an RSA key.
        var generating: Task<Loaded, any Error>?
        /// The latest check whether a client needs an RSA key.
        var checking: Task<Void, Never>?
        /// Whether something was signed with RS256.
        var usesRS256 = false
    }

    /// The maximum clock skew of servers that verify tokens.
    ///
    /// We keep keys for this long after the last token that they signed has expired.
    private static let skew = Duration.seconds(300)

    /// How long another node's new key may be unknown.
    ///
    /// Most new keys are known long before they are used, but the first key for an algorithm is used at once.
    private static let longestDelay = Duration.seconds(10)

    private let database: any Database
    private let repository: SigningKeyRepository
    private let sealer: SigningKeySealer
    private let rotation: KeyRotation
    private let state = Locked(State())

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
        self.database = database
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
    /// newest of these keys is returned. If there is no RSA key yet, this method waits until one has been
    /// generated.
    ///
    /// - Throws: ``CryptoError`` if there is no usable key, or ``DatabaseError``.
    package func signing(
        _ algorithm: SigningAlgorithm = .es256,
        at now: Timestamp
    ) async throws -> Signing {
        if let signing = try await current(at: now)[algorithm].signing(at: now) {
            if algorithm == .rs256 { state.withLock { $0.usesRS256 = true } }
            return signing
        }
        if algorithm == .rs256, let signing = try await generate(at: now).value[.rs256].signing(at: now) {
            state.withLock { $0.usesRS256 = true }
            return signing
        }
        throw CryptoError(.failed, "No signing key for \(algorithm.rawValue) is available.")
    }

    /// Signs a payload that is not an access token.
    ///
    /// - Parameters:
    ///   - payload: The payload, as JSON.
    ///   - type: The type in the header (`typ`), which must differ from that of access tokens.
    ///   - algorithm: The signature algorithm.
    ///   - now: The current time.
    /// - Returns: The JWS in compact serialization.
    /// - Throws: Any error thrown by ``signing(_:at:)``.
    package func sign(
        _ payload: [UInt8],
        type: String,
        algorithm: SigningAlgorithm = .es256,
        at now: Timestamp
    ) async throws -> Secret {
        try await signing(algorithm, at: now).sign(payload, type: type)
    }

    /// Returns the payload of a token that was signed with one of the keys.
    ///
    /// A token with a `crit` header is rejected, because extensions are not supported (RFC 7515, section
    /// 4.1.11). The caller must check the claims, such as the issuer, the audience and the expiry.
    ///
    /// - Parameters:
    ///   - token: The JWS in compact serialization.
    ///   - type: The type that the token must have in its header (`typ`), or `nil` if it must not have one.
    ///     Media types aren't case-sensitive.
    ///   - algorithm: The algorithm that the token must be signed with, or `nil` if any key is accepted. In
    ///     both cases, the token must specify the algorithm of the key that it names.
    ///   - now: The current time.
    /// - Returns: The payload, which is an object, or `nil` if the token isn't valid.
    /// - Throws: Any error thrown by ``verifying(_:at:)``.
    package func verified(
        _ token: Secret,
        type: String?,
        algorithm: SigningAlgorithm? = nil,
        at now: Timestamp
    ) async throws -> OrderedJSON? {
        guard
            let jws = CompactJWS(token.exposed), let header = try? JSONParser.parse(jws.header),
            Self.isType(header["typ"], expecting: type), header["crit"] == nil,
            case .string(let name)? = header["alg"], let named = SigningAlgorithm(rawValue: name),
            algorithm == nil || algorithm == named,
            case .string(let keyID)? = header["kid"],
            let key = try await verifying(keyID, at: now), key.algorithm == named, jws.isSigned(by: key),
            let payload = try? JSONParser.parse(jws.payload), case .object = payload
        else { return nil }
        return payload
    }

    private static func isType(_ found: OrderedJSON?, expecting expected: String?) -> Bool {
        guard let expected else { return found == nil }
        guard case .string(let found)? = found else { return false }
        return found.equalsIgnoringASCIICase(expected)
    }

    /// Returns the public key with the given id, or `nil` if the id is unknown.
    ///
    /// If another node has created a key within the last ten seconds, the key may be unknown.
    ///
    /// - Parameters:
    ///   - keyID: The `kid` of a token: the JWK thumbprint (RFC 7638) of the key in base64url.
    ///   - now: The current time.
    /// - Returns: The key, which may not be in use yet or may no longer be in use. A token that names the key
    ///   must be signed with the key's algorithm.
    /// - Throws: ``CryptoError`` if a required key rotation failed, or ``DatabaseError``.
    package func verifying(_ keyID: String, at now: Timestamp) async throws -> JWSVerifyingKey? {
        if let key = try await current(at: now).verifying[keyID] { return key }
        return try await current(at: now, atMost: Self.longestDelay).verifying[keyID]
    }

    /// Returns all keys to publish.
    ///
    /// The result contains the next key, the current key, and older keys whose tokens may still be valid,
    /// first those for ES256 and then those for RS256, each starting with the oldest key. A key is retained
    /// for the lifespan of an access token plus five minutes after its successor has started signing.
    ///
    /// - Throws: ``CryptoError`` if a required key rotation failed, or ``DatabaseError``.
    package func published(at now: Timestamp) async throws -> [(id: String, key: JWSVerifyingKey)] {
        try await current(at: now, atMost: Self.longestDelay).records.map { ($0.keyID, $0.publicKey) }
    }

    // MARK: RSA keys

    /// Generates an RSA key in the background if a client needs one and there is none.
    ///
    /// This is called after the registration of a client has changed, so that the key is published before the
    /// client's first ID token is signed with it.
    package func prepareForClients(at now: Timestamp) {
        state.withLock { state in
            guard state.loaded?[.rs256].signing(at: now) == nil else { return }
            state.checking = Task { [self, previous = state.checking] in
                await previous?.value
                // If this fails, the key is generated at the next read or when it is needed.
                guard let isUsed = try? await isRS256Used(), isUsed else { return }
                _ = try? await generate(at: now).value
            }
        }
    }

    private func isRS256Used() async throws -> Bool {
        if state.withLock({ $0.usesRS256 }) { return true }
        return try await ClientRepository.hasClients(using: .rs256, in: database)
    }

    /// Generates the RSA key that is due, unless another node has already done so.
    ///
    /// Tasks that call this method while a key is being generated get the same key.
    @discardableResult private func generate(at now: Timestamp) -> Task<Loaded, any Error> {
        state.withLock { state in
            if let generating = state.generating { return generating }
            let task = Task { [self] in
                defer { self.state.withLock { $0.generating = nil } }
                let slots = load(try await repository.all(), at: now)[.rs256].slots
                if let next = rotation.plan(slots, at: now).next {
                    let record = try sealer.seal(.rs256(try await Self.newRSAKey()), for: next)
                    try await repository.change(adding: record, deleting: [], at: now)
                }
                return try await read(at: now)
            }
            state.generating = task
            return task
        }
    }

    /// Generates a key on a thread of its own, which yields to the threads that answer requests.
    private static func newRSAKey() async throws -> RSASigningKey {
        try await withCheckedThrowingContinuation { continuation in
            do {
                _ = try WorkThread(niceness: 10) {
                    continuation.resume(with: Result { try RSASigningKey.generate() })
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    // MARK: Snapshots

    /// Returns the current snapshot.
    ///
    /// If the cached snapshot is outdated or older than the given age, the keys are read again.
    ///
    /// - Throws: Any error thrown by ``read(at:)``.
    private func current(at now: Timestamp, atMost age: Duration? = nil) async throws -> Loaded {
        let (loaded, reading) = state.withLock { state -> (Loaded?, Task<Loaded, any Error>?) in
            if let loaded = state.loaded, loaded.from <= now, now < loaded.until,
                age.map({ now < loaded.from + $0 }) ?? true
            {
                return (loaded, nil)
            }
            if let reading = state.reading { return (nil, reading) }
            let task = Task { [self] in
                defer { self.state.withLock { $0.reading = nil } }
                return try await read(at: now)
            }
            state.reading = task
            return (nil, task)
        }
        if let loaded { return loaded }
        guard let reading else { throw CryptoError(.failed, "The signing keys cannot be read.") }
        return try await reading.value
    }

    /// Reads the keys and, if necessary, rotates them.
    ///
    /// The keys are read both before and after the transaction that rotates them. If several nodes rotate the
    /// keys at the same time, the second read makes sure that we use the key that was stored.
    ///
    /// The generation of an RSA key is only started. Until it is stored, the earlier key is used.
    ///
    /// - Throws: ``CryptoError`` if a key cannot be generated or encrypted or if a stored key is damaged, or
    ///   ``DatabaseError``.
    private func read(at now: Timestamp) async throws -> Loaded {
        var loaded = load(try await repository.all(), at: now)
        // The second read also finds keys that another node has added in the meantime, so we don't need a
        // third one.
        let plan = rotation.plan(loaded[.es256].slots, at: now)
        let planRSA = rotation.plan(loaded[.rs256].slots, at: now)
        let outlived =
            plan.outlived.map { (SigningAlgorithm.es256, $0) }
            + planRSA.outlived.map { (SigningAlgorithm.rs256, $0) }
        if plan.next != nil || !outlived.isEmpty {
            let next = try plan.next.map { try sealer.seal(.es256(.generate()), for: $0) }
            try await repository.change(adding: next, deleting: outlived, at: now)
            loaded = load(try await repository.all(), at: now)
        }
        state.withLock { [loaded] in $0.loaded = loaded }
        // Requests that don't need an RSA key must not fail if the clients can't be read.
        if planRSA.next != nil, (try? await isRS256Used()) ?? false { generate(at: now) }
        return loaded
    }

    /// Creates a snapshot of the stored keys.
    ///
    /// The snapshot is valid for a quarter of the time that a key is published in advance, but at most one
    /// hour.
    private func load(_ records: [SigningKeyRecord], at now: Timestamp) -> Loaded {
        var series: [SigningAlgorithm: Series] = [:]
        var verifying: [String: JWSVerifyingKey] = [:]
        for record in records {
            let (id, key) = (record.keyID, sealer.open(record))
            verifying[id] = record.publicKey
            let slot = KeyRotation.Slot(
                number: record.number,
                signsFrom: record.signsFrom,
                isUsable: key != nil
            )
            series[record.algorithm, default: Series()].slots.append(slot)
            guard let key else { continue }
            series[record.algorithm, default: Series()].opened[record.number] = Signing(key: key, id: id)
        }
        return Loaded(
            records: records,
            series: series,
            verifying: verifying,
            from: now,
            // The limit of a quarter of the notice period ensures that this node finds a key created by
            // another node long before that key is used.
            until: now + min(rotation.notice / 4, .seconds(3600))
        )
    }
}

extension SigningKeyRing: ServerWorker {
    /// Waits for the generation of a key that is in progress.
    package func stop() async {
        while let work = state.withLock({ $0.checking }) {
            await work.value
            state.withLock { if $0.checking == work { $0.checking = nil } }
        }
        while let work = state.withLock({ $0.generating }) { _ = try? await work.value }
    }
}
