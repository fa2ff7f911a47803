public import LatchkeyCore
import LatchkeyCrypto

/// A provider of P-256 device keys that are stored in software.
///
/// The stored form of a key is the private key itself (PKCS#8). The session store keeps the key secret by
/// encrypting it.
public struct SoftwareDeviceKeys: DeviceKeyProvider {
    /// Creates the provider.
    public init() {}

    /// Generates a key pair with OpenSSL.
    ///
    /// - Returns: The new key.
    /// - Throws: `DeviceKeyError` if OpenSSL fails.
    public func makeKey() throws(DeviceKeyError) -> any DeviceKey {
        do {
            return try SoftwareDeviceKey(SigningKey.generate())
        } catch {
            throw DeviceKeyError(.failed, message: "The device key cannot be created: \(error)")
        }
    }

    /// Restores a key from its stored form.
    ///
    /// - Parameter storedForm: The private key as PKCS#8 in DER.
    /// - Returns: The key.
    /// - Throws: `DeviceKeyError` with the code `lost` if the bytes are not a P-256 private key.
    public func key(from storedForm: [UInt8]) throws(DeviceKeyError) -> any DeviceKey {
        do {
            return try SoftwareDeviceKey(SigningKey(pkcs8: storedForm))
        } catch {
            throw DeviceKeyError(.lost, message: "The device key cannot be read: \(error)")
        }
    }

    /// Has no effect, because a key only exists in its stored form.
    ///
    /// - Parameter storedForm: The private key as PKCS#8 in DER.
    public func removeKey(_ storedForm: [UInt8]) {}
}

private struct SoftwareDeviceKey: DeviceKey {
    private let key: SigningKey
    let storedForm: [UInt8]

    init(_ key: SigningKey) throws(CryptoError) {
        self.key = key
        storedForm = try key.pkcs8()
    }

    var publicPoint: [UInt8] { key.publicKey.point }

    func signature(for bytes: [UInt8]) throws(DeviceKeyError) -> [UInt8] {
        do {
            return try key.rawSignature(for: bytes)
        } catch {
            throw DeviceKeyError(.failed, message: "The device key cannot create a signature: \(error)")
        }
    }
}

extension SoftwareDeviceKey: CustomStringConvertible, CustomReflectable {
    var description: String { "‹key›" }

    var customMirror: Mirror { Mirror(self, children: []) }
}
