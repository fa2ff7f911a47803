import LatchkeyCore
import LatchkeyModel

/// A provider of keys that are numbers; it records which keys exist.
final class FakeDeviceKeys: DeviceKeyProvider {
    private struct State {
        var made: UInt8 = 0
        var living: Set<UInt8> = []
        var removals: [UInt8] = []
        var failure: DeviceKeyError?
        var whenMade: (@Sendable () -> Void)?
    }

    private struct Key: DeviceKey {
        let number: UInt8
        let isUsable: Bool

        var storedForm: [UInt8] { [number] }

        var publicJWK: String { #"{"kty":"EC","number":\#(number)}"# }

        func signature(for bytes: [UInt8]) throws(DeviceKeyError) -> [UInt8] {
            guard isUsable else { throw DeviceKeyError("The key cannot create a signature.") }
            return [number]
        }

        func certificateSigningRequest(commonName: String) throws(DeviceKeyError) -> String {
            guard isUsable else { throw DeviceKeyError("The key cannot create a signature.") }
            return "CSR of key \(number) for \(commonName)"
        }
    }

    private let state = Locked(State())
    private let isUsable: Bool

    init(isUsable: Bool = true) {
        self.isUsable = isUsable
    }

    /// The keys that were made and not removed.
    var living: Set<UInt8> { state.withLock { $0.living } }

    /// The keys that were removed, in order, each as often as it was.
    var removals: [UInt8] { state.withLock { $0.removals } }

    func fail(with error: DeviceKeyError?) {
        state.withLock { $0.failure = error }
    }

    /// Runs something once, when the next key is made.
    func whenMade(_ run: @escaping @Sendable () -> Void) {
        state.withLock { $0.whenMade = run }
    }

    func makeKey() throws(DeviceKeyError) -> any DeviceKey {
        let (hook, failure, number) = state.withLock { state in
            defer { state.whenMade = nil }
            if state.failure == nil {
                state.made += 1
                state.living.insert(state.made)
            }
            return (state.whenMade, state.failure, state.made)
        }
        hook?()
        if let failure { throw failure }
        return Key(number: number, isUsable: isUsable)
    }

    func key(from storedForm: [UInt8]) throws(DeviceKeyError) -> any DeviceKey {
        guard let number = storedForm.first, living.contains(number) else {
            throw DeviceKeyError("There is no such key.")
        }
        return Key(number: number, isUsable: isUsable)
    }

    func removeKey(_ storedForm: [UInt8]) {
        state.withLock { state in
            for number in storedForm { state.living.remove(number) }
            state.removals += storedForm
        }
    }
}
