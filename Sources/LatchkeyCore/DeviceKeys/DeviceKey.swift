/// A P-256 key pair that identifies this device and never leaves it.
public protocol DeviceKey: Sendable {
    /// The data that a provider needs to restore the key. For a software key, this is the key itself. For a
    /// hardware key, it is a reference to the key.
    var storedForm: [UInt8] { get }

    /// The public key as an uncompressed point (SEC 1, section 2.3.3). The point is 65 bytes long and
    /// consists of the byte 0x04, followed by x and y.
    var publicPoint: [UInt8] { get }

    /// Signs a message with ES256 (RFC 7518, section 3.4).
    ///
    /// - Parameter bytes: The message itself and not its hash, because this method computes the SHA-256 hash.
    /// - Returns: The concatenated values r and s, 32 bytes each.
    /// - Throws: ``DeviceKeyError`` if the key cannot be used.
    func signature(for bytes: [UInt8]) throws(DeviceKeyError) -> [UInt8]
}

/// A type that creates, restores and removes device keys.
public protocol DeviceKeyProvider: Sendable {
    /// Creates a new key pair.
    ///
    /// - Returns: The new key.
    /// - Throws: ``DeviceKeyError`` if the key cannot be created.
    func makeKey() throws(DeviceKeyError) -> any DeviceKey

    /// Restores a key from its stored form.
    ///
    /// - Parameter storedForm: The ``DeviceKey/storedForm`` that the key had when it was created.
    /// - Returns: The restored key.
    /// - Throws: ``DeviceKeyError``. The code is ``DeviceKeyError/Code/lost`` only if the key no longer exists
    ///   or the stored form is damaged.
    func key(from storedForm: [UInt8]) throws(DeviceKeyError) -> any DeviceKey

    /// Deletes everything that the provider stores for a key.
    ///
    /// This method has no effect if the stored form contains the whole key, if the key has already been
    /// removed, or if the stored form is damaged.
    ///
    /// - Parameter storedForm: The ``DeviceKey/storedForm`` that the key had when it was created.
    func removeKey(_ storedForm: [UInt8])
}

/// An error thrown when a device key cannot be created, restored or used.
public struct DeviceKeyError: Error, Sendable, CustomStringConvertible {
    /// The reason why a key cannot be used.
    public enum Code: String, Sendable {
        /// The key cannot be used at the moment, for example because the device has not been unlocked since it
        /// was started. The same call may succeed later.
        case unavailable
        /// The key no longer exists on this device, or its stored form is damaged. The same call will never
        /// succeed. The next login creates a new key.
        case lost
        /// The operation failed for another reason. The key may still be usable.
        case failed
    }

    /// The reason why the key cannot be used.
    public let code: Code

    /// A description of the error for developers that doesn't contain key material.
    public let message: String

    /// The underlying error, such as the error of the library of an app's own provider.
    public let cause: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The reason why the key cannot be used.
    ///   - message: A description for developers, which must not contain key material.
    ///   - cause: The underlying error, if any.
    public init(_ code: Code, message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The code and message of the error.
    public var description: String { "\(code.rawValue): \(message)" }
}
