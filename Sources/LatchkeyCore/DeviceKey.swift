/// A P-256 key pair that stays on this device and stands for it.
public protocol DeviceKey: Sendable {
    /// What a store needs to find the key again: the key itself in software, a reference in hardware.
    var storedForm: [UInt8] { get }

    /// The public key as a JSON Web Key on P-256 (RFC 7517), without any other member.
    var publicJWK: String { get }

    /// Signs bytes with ES256 (RFC 7518, section 3.4).
    ///
    /// - Parameter bytes: What to sign; it is hashed here, with SHA-256.
    /// - Returns: r and s, of 32 bytes each.
    /// - Throws: ``DeviceKeyError``.
    func signature(for bytes: [UInt8]) throws(DeviceKeyError) -> [UInt8]

    /// Makes a certificate signing request (PKCS#10, RFC 2986), signed by the key.
    ///
    /// - Parameter commonName: The subject's common name; the server puts its own in the certificate.
    /// - Returns: PEM.
    /// - Throws: ``DeviceKeyError``.
    func certificateSigningRequest(commonName: String) throws(DeviceKeyError) -> String
}

/// Makes device keys and finds them again.
public protocol DeviceKeyProvider: Sendable {
    /// Makes a key pair.
    ///
    /// - Returns: The new key.
    /// - Throws: ``DeviceKeyError``.
    func makeKey() throws(DeviceKeyError) -> any DeviceKey

    /// Finds a key again.
    ///
    /// - Parameter storedForm: What ``DeviceKey/storedForm`` was.
    /// - Returns: The key.
    /// - Throws: ``DeviceKeyError`` when it is gone or damaged.
    func key(from storedForm: [UInt8]) throws(DeviceKeyError) -> any DeviceKey

    /// Destroys whatever the provider itself keeps of a key; nothing to do where the stored form is all.
    ///
    /// - Parameter storedForm: What ``DeviceKey/storedForm`` was.
    func removeKey(_ storedForm: [UInt8])
}

/// A key that could not be made, found or used.
public struct DeviceKeyError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for a developer; holds no key material.
    public let message: String

    /// Creates an error.
    ///
    /// - Parameter message: A sentence for a developer.
    public init(_ message: String) {
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
