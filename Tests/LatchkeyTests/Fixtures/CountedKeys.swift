import LatchkeyCore
import LatchkeyModel

/// Device keys of the platform, of which a test counts those that weren't removed.
final class CountedKeys: DeviceKeyProvider {
    private let base: any DeviceKeyProvider
    private let living = Locked<Set<[UInt8]>>([])
    private let failure = Locked<DeviceKeyError?>(nil)

    init(_ base: any DeviceKeyProvider) {
        self.base = base
    }

    /// The number of keys that were created and haven't been removed.
    var count: Int { living.withLock { $0.count } }

    /// Makes key creation fail, or succeed again if the error is `nil`.
    func fail(with error: DeviceKeyError?) {
        failure.withLock { $0 = error }
    }

    func makeKey() throws(DeviceKeyError) -> any DeviceKey {
        if let failure = failure.withLock({ $0 }) { throw failure }
        let key = try base.makeKey()
        living.withLock { living in _ = living.insert(key.storedForm) }
        return key
    }

    func key(from storedForm: [UInt8]) throws(DeviceKeyError) -> any DeviceKey {
        try base.key(from: storedForm)
    }

    func removeKey(_ storedForm: [UInt8]) {
        living.withLock { living in _ = living.remove(storedForm) }
        base.removeKey(storedForm)
    }
}
