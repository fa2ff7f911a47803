import LatchkeyModel
import LatchkeyWire

/// Creates device keys and signs with them, on a queue on which blocking is allowed.
struct DeviceSigner: Sendable {
    private let keys: any DeviceKeyProvider
    private let queue: BlockingQueue
    private let random: any RandomSource

    init(keys: any DeviceKeyProvider, queue: BlockingQueue, random: any RandomSource) {
        (self.keys, self.queue, self.random) = (keys, queue, random)
    }

    /// Creates a key pair.
    ///
    /// - Throws: ``LatchkeyError/Code/deviceKeyFailed``.
    func createKey() async throws(LatchkeyError) -> StoredKey {
        try await run { keys throws(DeviceKeyError) in
            StoredKey(try keys.makeKey().storedForm)
        }
    }

    /// Deletes a key that no session uses.
    func removeKey(_ key: StoredKey) {
        keys.removeKey(key.exposed)
    }

    /// Signs a DPoP proof (RFC 9449).
    ///
    /// - Parameters:
    ///   - url: The URL of the request, without the query.
    ///   - time: The time of the proof, by the clock of this device.
    ///   - nonce: The latest nonce that the server issued.
    ///   - key: The key to prove the possession of.
    /// - Returns: The value of the header field.
    /// - Throws: ``LatchkeyError/Code/deviceKeyFailed``.
    func proof(
        forPostTo url: String,
        issuedAt time: Timestamp,
        nonce: String? = nil,
        by key: StoredKey
    ) async throws(LatchkeyError) -> String {
        let proof = DPoPProof(
            method: .post,
            url: url,
            id: Base64URL.encode(random.bytes(16)),
            issuedAt: time,
            nonce: nonce
        )
        return try await run { keys throws(DeviceKeyError) in
            let key = try keys.key(from: key.exposed)
            return try proof.signed(jwk: key.publicJWK) { bytes throws(DeviceKeyError) in
                try key.signature(for: bytes)
            }
        }
    }

    /// Creates a certificate signing request (PKCS#10, RFC 2986).
    ///
    /// - Returns: PEM.
    /// - Throws: ``LatchkeyError/Code/deviceKeyFailed``.
    func certificateSigningRequest(
        commonName: String,
        by key: StoredKey
    ) async throws(LatchkeyError) -> String {
        try await run { keys throws(DeviceKeyError) in
            try keys.key(from: key.exposed).certificateSigningRequest(commonName: commonName)
        }
    }

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
