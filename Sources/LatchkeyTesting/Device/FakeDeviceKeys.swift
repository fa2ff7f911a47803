public import LatchkeyCore
import LatchkeyModel

/// A provider of fake device keys, for tests with a ``FakeIdentityServer``.
///
/// The keys are plain numbers and don't create valid signatures, so other servers reject them. The provider
/// records which keys exist.
public final class FakeDeviceKeys: DeviceKeyProvider {
    private struct State {
        /// The number of the newest key.
        var made: UInt8 = 0
        var living: Set<UInt8> = []
        var removals: [UInt8] = []
        var failure: DeviceKeyError?
        var whenMade: (@Sendable () -> Void)?

        /// Adds a key with the next free number.
        mutating func makeKey() {
            repeat {
                made = made == .max ? 1 : made + 1
            } while living.contains(made)
            living.insert(made)
        }
    }

    private struct Key: DeviceKey {
        let number: UInt8
        let isUsable: Bool

        var storedForm: [UInt8] { [number] }

        var publicPoint: [UInt8] { FakeDeviceKeys.publicPoint(of: number) }

        func signature(for bytes: [UInt8]) throws(DeviceKeyError) -> [UInt8] {
            guard isUsable else {
                throw DeviceKeyError(.failed, message: "The key cannot create signatures.")
            }
            return FakeDeviceKeys.signature(by: number)
        }
    }

    /// Returns the public point of a key.
    ///
    /// Every byte of the point's x coordinate is the key's number, and the y coordinate is zero.
    package static func publicPoint(of number: UInt8) -> [UInt8] {
        [4] + [UInt8](repeating: number, count: 32) + [UInt8](repeating: 0, count: 32)
    }

    /// Returns the signature that a key creates, which is the same for every message.
    package static func signature(by number: UInt8) -> [UInt8] {
        [UInt8](repeating: number, count: 64)
    }

    private let state = Locked(State())
    private let isUsable: Bool

    /// Creates a provider that has no keys yet.
    ///
    /// - Parameter isUsable: Whether the keys can create signatures. If this is `false`, every attempt to
    ///   sign fails.
    public init(isUsable: Bool = true) {
        self.isUsable = isUsable
    }

    /// The keys that were created and haven't been removed.
    public var living: Set<UInt8> { state.withLock { $0.living } }

    /// The removed keys, in order.
    ///
    /// If a key is removed several times, it is listed several times.
    public var removals: [UInt8] { state.withLock { $0.removals } }

    /// Makes key creation fail with the given error, or succeed again if the error is `nil`.
    public func fail(with error: DeviceKeyError?) {
        state.withLock { $0.failure = error }
    }

    /// Calls a closure once, the next time a key is created.
    package func whenMade(_ run: @escaping @Sendable () -> Void) {
        state.withLock { $0.whenMade = run }
    }

    /// Creates a key with the next number from 1 to 255.
    ///
    /// After 255 keys, the numbers of removed keys are reused.
    ///
    /// - Throws: An error if there are already 255 keys, or the error that was set with ``fail(with:)``.
    public func makeKey() throws(DeviceKeyError) -> any DeviceKey {
        let (hook, failure, number) = state.withLock { state in
            defer { state.whenMade = nil }
            var failure = state.failure
            if state.living.count == Int(UInt8.max) {
                failure = DeviceKeyError(.failed, message: "There are already 255 fake keys.")
            }
            if failure == nil { state.makeKey() }
            return (state.whenMade, failure, state.made)
        }
        hook?()
        if let failure { throw failure }
        return Key(number: number, isUsable: isUsable)
    }

    /// Returns the key whose number is in the stored form.
    public func key(from storedForm: [UInt8]) throws(DeviceKeyError) -> any DeviceKey {
        guard let number = storedForm.first, living.contains(number) else {
            throw DeviceKeyError(.lost, message: "The key does not exist.")
        }
        return Key(number: number, isUsable: isUsable)
    }

    /// Removes keys and records their numbers.
    public func removeKey(_ storedForm: [UInt8]) {
        state.withLock { state in
            for number in storedForm { state.living.remove(number) }
            state.removals += storedForm
        }
    }
}
