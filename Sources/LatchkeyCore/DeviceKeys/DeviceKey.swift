/// A P-256 key pair that never leaves this device and identifies it.
public protocol DeviceKey: Sendable {
    /// The data from which a provider restores the key: the key itself for a software key, a reference for a
    /// hardware key.
    var storedForm: [UInt8] { get }

    /// The public key as an uncompressed point (SEC 1, section 2.3.3): the byte 0x04, x and y, 65 bytes in total.
    var publicPoint: [UInt8] { get }

    /// Signs bytes with ES256 (RFC 7518, section 3.4).
    ///
    /// - Parameter bytes: The message, not its hash; this method hashes it with SHA-256.
    /// - Returns: The values r and s, 32 bytes each, concatenated.
    /// - Throws: ``DeviceKeyError`` if the key cannot be used.
    func signature(for bytes: [UInt8]) throws(DeviceKeyError) -> [UInt8]
}

/// A provider that creates, restores and removes device keys.
public protocol DeviceKeyProvider: Sendable {
    /// Creates a key pair.
    ///
    /// - Returns: The new key.
    /// - Throws: ``DeviceKeyError`` if no key can be created.
    func makeKey() throws(DeviceKeyError) -> any DeviceKey

    /// Restores a key from its stored form.
    ///
    /// - Parameter storedForm: The value of ``DeviceKey/storedForm`` when the key was created.
    /// - Returns: The key.
    /// - Throws: ``DeviceKeyError`` if the key no longer exists or is damaged.
    func key(from storedForm: [UInt8]) throws(DeviceKeyError) -> any DeviceKey

    /// Deletes any data that the provider itself stores for a key.
    ///
    /// Has no effect if the stored form is the whole key.
    ///
    /// - Parameter storedForm: The value of ``DeviceKey/storedForm`` when the key was created.
    func removeKey(_ storedForm: [UInt8])
}

/// An error indicating that a device key could not be created, restored or used.
public struct DeviceKeyError: Error, Sendable, CustomStringConvertible {
    /// A description of the error for developers; contains no key material.
    public let message: String

    /// Creates an error.
    ///
    /// - Parameter message: A sentence for developers, without key material.
    public init(_ message: String) {
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
