import LatchkeyModel
import LatchkeyWire

/// A signer that creates, uses and removes device keys; blocking calls run on a queue.
struct DeviceSigner: Sendable {
    private let keys: any DeviceKeyProvider
    private let queue: BlockingQueue
    private let random: any RandomSource

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
        let proof = DPoPProof(
            method: .post,
            url: url,
            id: Base64URL.encode(random.bytes(16)),
            issuedAt: time,
            nonce: nonce
        )
        return try await run { keys throws(DeviceKeyError) in
            let key = try keys.key(from: key.exposed)
            return try proof.signed(jwk: try key.publicJWK()) { bytes throws(DeviceKeyError) in
                try key.signature(for: bytes)
            }
        }
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
