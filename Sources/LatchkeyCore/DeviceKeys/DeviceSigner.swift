import LatchkeyModel
import LatchkeyWire

/// A signer that creates, uses and removes device keys; blocking calls run on a queue.
struct DeviceSigner: Sendable {
    private let keys: any DeviceKeyProvider
    private let queue: BlockingQueue
    private let random: any RandomSource
    private let restored = Locked<RestoredKey?>(nil)

    init(keys: any DeviceKeyProvider, queue: BlockingQueue, random: any RandomSource) {
        (self.keys, self.queue, self.random) = (keys, queue, random)
    }

    /// Creates a key pair.
    ///
    /// - Returns: The stored form of the key.
    /// - Throws: ``LatchkeyError/Code/deviceKeyFailed``.
    func createKey() async throws(LatchkeyError) -> StoredKey {
        try await run { keys throws(DeviceKeyError) in
            StoredKey(try keys.makeKey().storedForm)
        }
    }

    /// Removes a key that no session uses; runs on the caller's thread.
    func removeKey(_ key: StoredKey) {
        keys.removeKey(key.exposed)
    }

    /// Signs a DPoP proof (RFC 9449).
    ///
    /// - Parameters:
    ///   - url: The URL of the request, without the query; the method is `POST`.
    ///   - time: The time of the proof, according to this device's clock.
    ///   - nonce: The latest nonce from the server, or `nil` if there is none.
    ///   - key: The key whose possession the proof demonstrates.
    /// - Returns: The value of the header field.
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

    /// Signs the DPoP proof for a request with a bound access token (RFC 9449, section 7).
    ///
    /// The key is restored only once, because that takes longer than a signature, and remains in memory until
    /// ``forgetKey()``.
    ///
    /// - Parameters:
    ///   - request: The request, whose method and URL the proof contains.
    ///   - token: The access token, whose hash the proof contains.
    ///   - time: The time of the proof, according to this device's clock.
    ///   - nonce: The latest nonce from the server, or `nil` if there is none.
    ///   - key: The key that the token is bound to.
    /// - Returns: The value of the header field.
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

    /// Returns an unpredictable id for a proof.
    private func newID() -> String {
        Base64URL.encode(random.bytes(16))
    }

    /// Creates a certificate signing request (PKCS#10, RFC 2986).
    ///
    /// - Parameters:
    ///   - commonName: The subject's common name.
    ///   - key: The key to be certified, which signs the request.
    /// - Returns: The request in PEM.
    /// - Throws: ``LatchkeyError/Code/deviceKeyFailed``.
    func certificateSigningRequest(
        commonName: String,
        by key: StoredKey
    ) async throws(LatchkeyError) -> String {
        try await run { keys throws(DeviceKeyError) in
            try keys.key(from: key.exposed).certificateSigningRequest(commonName: commonName)
        }
    }

    /// Runs potentially blocking work on the queue, and converts its error to a `LatchkeyError`.
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

/// The method and the URL of a request for which possession of a key is proven.
struct ProvenRequest: Sendable {
    let method: HTTP.Method
    /// The URL without query and fragment.
    let url: String
}

/// A device key in memory, with the stored form that it was restored from.
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
