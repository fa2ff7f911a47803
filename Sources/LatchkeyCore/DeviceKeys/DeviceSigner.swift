import LatchkeyModel
import LatchkeyWire

/// Creates, uses and removes device keys.
///
/// Blocking calls are dispatched to a queue.
struct DeviceSigner: Sendable {
    private let keys: any DeviceKeyProvider
    private let queue: BlockingQueue
    private let random: any RandomSource
    private let restored = Locked<RestoredKey?>(nil)

    init(keys: any DeviceKeyProvider, queue: BlockingQueue, random: any RandomSource) {
        (self.keys, self.queue, self.random) = (keys, queue, random)
    }

    /// Creates a new key pair.
    ///
    /// - Returns: The key's stored form.
    /// - Throws: ``LatchkeyError/Code/deviceKeyFailed``.
    func createKey() async throws(LatchkeyError) -> StoredKey {
        try await run { keys throws(DeviceKeyError) in
            StoredKey(try keys.makeKey().storedForm)
        }
    }

    /// Removes a key that isn't used by any session.
    ///
    /// This method runs on the caller's thread.
    func removeKey(_ key: StoredKey) {
        keys.removeKey(key.exposed)
    }

    /// Creates and signs a DPoP proof (RFC 9449) for a `POST` request.
    ///
    /// - Parameters:
    ///   - url: The URL of the request without the query.
    ///   - time: The time at which the proof is issued, according to this device's clock.
    ///   - nonce: The latest nonce received from the server, if any.
    ///   - key: The key to sign the proof with.
    /// - Returns: The value for the `DPoP` header field.
    /// - Throws: ``LatchkeyError/Code/deviceKeyFailed``.
    func proof(
        forPostTo url: String,
        issuedAt time: Timestamp,
        nonce: String? = nil,
        by key: StoredKey
    ) async throws(LatchkeyError) -> String {
        let proof = DPoPProof(method: .post, url: url, id: newID(), issuedAt: time, nonce: nonce)
        return try await run { keys throws(DeviceKeyError) in
            try proof.signed(by: try keys.key(from: key.exposed))
        }
    }

    /// Creates and signs the DPoP proof for a request with a bound access token (RFC 9449, section 7).
    ///
    /// Restoring a key takes longer than signing. The key is therefore restored once, and is then kept in
    /// memory until ``forgetKey()`` is called.
    ///
    /// - Parameters:
    ///   - request: The request that the proof is for.
    ///   - token: The access token. The proof contains a hash of the token.
    ///   - time: The time at which the proof is issued, according to this device's clock.
    ///   - nonce: The latest nonce received from the server, if any.
    ///   - key: The key that the token is bound to.
    /// - Returns: The value for the `DPoP` header field.
    /// - Throws: ``LatchkeyError/Code/deviceKeyFailed``.
    func proof(
        for request: ProvenRequest,
        token: Secret,
        issuedAt time: Timestamp,
        nonce: String?,
        by key: StoredKey
    ) async throws(LatchkeyError) -> String {
        let id = newID()
        return try await run { [restored] keys throws(DeviceKeyError) in
            let device: any DeviceKey
            if let known = restored.withLock({ $0 }), known.stored == key {
                device = known.key
            } else {
                device = try keys.key(from: key.exposed)
                restored.withLock { $0 = RestoredKey(stored: key, key: device) }
            }
            let proof = DPoPProof(
                method: request.method,
                url: request.url,
                id: id,
                issuedAt: time,
                nonce: nonce,
                accessTokenHash: SHA256Hash.hash(Array(token.exposed.utf8))
            )
            return try proof.signed(by: device)
        }
    }

    /// Removes the restored key from memory.
    func forgetKey() {
        restored.withLock { $0 = nil }
    }

    /// Returns a random id for a proof.
    private func newID() -> String {
        Base64URL.encode(random.bytes(16))
    }

    /// Returns the thumbprint of a public key, encoded as Base64URL (RFC 7638).
    ///
    /// - Throws: ``LatchkeyError/Code/deviceKeyFailed``.
    func thumbprint(of key: StoredKey) async throws(LatchkeyError) -> String {
        try await run { keys throws(DeviceKeyError) in
            let jwk = try keys.key(from: key.exposed).publicJWK()
            return Base64URL.encode(SHA256Hash.hash(Array(jwk.utf8)))
        }
    }

    /// Creates a certificate signing request (PKCS#10, RFC 2986).
    ///
    /// - Parameters:
    ///   - commonName: The subject's common name.
    ///   - key: The key to certify, which also signs the request.
    /// - Returns: The request in PEM format.
    /// - Throws: ``LatchkeyError/Code/deviceKeyFailed``.
    func certificateSigningRequest(
        commonName: String,
        by key: StoredKey
    ) async throws(LatchkeyError) -> String {
        try await run { keys throws(DeviceKeyError) in
            try keys.key(from: key.exposed).certificateSigningRequest(commonName: commonName)
        }
    }

    /// Runs work that may block on the queue, and converts its error to a `LatchkeyError`.
    private func run<Value: Sendable>(
        _ work: @escaping @Sendable (any DeviceKeyProvider) throws(DeviceKeyError) -> Value
    ) async throws(LatchkeyError) -> Value {
        let outcome = await queue.run { [keys] () -> Result<Value, DeviceKeyError> in
            do throws(DeviceKeyError) {
                return .success(try work(keys))
            } catch {
                return .failure(error)
            }
        }
        switch outcome {
        case .success(let value): return value
        case .failure(let error): throw LatchkeyError(key: error)
        }
    }
}

/// The method and URL of a request that needs a DPoP proof.
struct ProvenRequest: Sendable {
    let method: HTTP.Method
    /// The URL without the query and fragment.
    let url: String
}

/// A restored device key and the stored data from which it was restored.
private struct RestoredKey: Sendable {
    let stored: StoredKey
    let key: any DeviceKey
}

extension DPoPProof {
    /// Signs the proof with a device key.
    fileprivate func signed(by key: any DeviceKey) throws(DeviceKeyError) -> String {
        try signed(jwk: try key.publicJWK()) { bytes throws(DeviceKeyError) in
            try key.signature(for: bytes)
        }
    }
}
