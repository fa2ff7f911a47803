import LatchkeyCore
import LatchkeyModel
import LatchkeySoftwareKeys
import LatchkeyTesting
import Testing

@Suite struct `Device key conformance` {
    @Test func `Software keys pass the checks`() async {
        let violations = await DeviceKeyConformance(verifier: SoftwareSignatureVerifier()) {
            SoftwareDeviceKeys()
        }.violations()

        #expect(violations == [])
    }

    @Test func `Keys that are unavailable while they are locked pass the checks`() async {
        let isLocked = Locked(false)

        let violations = await DeviceKeyConformance(
            verifier: SoftwareSignatureVerifier(),
            locking: { isLocked.value = $0 },
            { FaultyKeys(fault: .none, isLocked: isLocked) }
        ).violations()

        #expect(violations == [])
    }

    @Test(arguments: [
        (KeyFault.pointsAreCompressed, "A public point is 65 bytes"),
        (.keysAreEqual, "Each key is different"),
        (.signaturesAreShort, "A signature is 64 bytes"), (.hashesAreIgnored, "A signature is 64 bytes"),
        (.storedFormsAreLong, "A stored form has at most"),
        (.restoredKeysDiffer, "A key that was restored"), (.damageIsUnavailable, "A damaged stored form"),
        (.removalsRemoveAll, "Removing a key has no effect"),
        (.failsWhenUsedOften, "A key can be used by several"),
        (.keysArePrinted, "A printed key does not"), (.lockedKeysAreLost, "A locked key is unavailable"),
    ])
    func `The checks detect each kind of faulty provider`(_ fault: KeyFault, requirement: String) async {
        let isLocked = Locked(false)
        let removed = Locked(false)

        let violations = await DeviceKeyConformance(
            verifier: SoftwareSignatureVerifier(),
            locking: { isLocked.value = $0 },
            { FaultyKeys(fault: fault, isLocked: isLocked, areAllRemoved: removed) }
        ).violations()

        #expect(violations.contains { $0.hasPrefix(requirement) }, "\(violations)")
    }
}

extension Locked where Value == Bool {
    fileprivate var value: Bool {
        get { withLock { $0 } }
        set { withLock { $0 = newValue } }
    }
}

/// The requirement that a provider violates.
enum KeyFault: Sendable {
    case none, pointsAreCompressed, keysAreEqual, signaturesAreShort, hashesAreIgnored, storedFormsAreLong
    case restoredKeysDiffer, damageIsUnavailable, removalsRemoveAll, failsWhenUsedOften, keysArePrinted
    case lockedKeysAreLost
}

/// Software keys that can be locked, and that violate one of the requirements.
private struct FaultyKeys: DeviceKeyProvider {
    /// A key that all providers with this fault return.
    private static let shared = Locked<[UInt8]?>(nil)

    let fault: KeyFault
    let isLocked: Locked<Bool>
    var areAllRemoved = Locked(false)
    private let base = SoftwareDeviceKeys()

    init(fault: KeyFault, isLocked: Locked<Bool>, areAllRemoved: Locked<Bool> = Locked(false)) {
        (self.fault, self.isLocked, self.areAllRemoved) = (fault, isLocked, areAllRemoved)
    }

    func makeKey() throws(DeviceKeyError) -> any DeviceKey {
        try checkLock()
        areAllRemoved.value = false
        guard fault == .keysAreEqual else { return wrapped(try base.makeKey()) }
        if let known = Self.shared.withLock({ $0 }) { return wrapped(try base.key(from: known)) }
        let key = try base.makeKey()
        Self.shared.withLock { $0 = key.storedForm }
        return wrapped(key)
    }

    func key(from storedForm: [UInt8]) throws(DeviceKeyError) -> any DeviceKey {
        try checkLock()
        if areAllRemoved.value { throw DeviceKeyError(.lost, message: "The key has been removed.") }
        if fault == .restoredKeysDiffer { return wrapped(try base.makeKey()) }
        let form = fault == .storedFormsAreLong ? Array(storedForm.prefix { $0 != 0xFF }) : storedForm
        do throws(DeviceKeyError) {
            return wrapped(try base.key(from: form))
        } catch {
            throw fault == .damageIsUnavailable ? DeviceKeyError(.unavailable, message: error.message) : error
        }
    }

    func removeKey(_ storedForm: [UInt8]) {
        if fault == .removalsRemoveAll { areAllRemoved.value = true }
    }

    private func checkLock() throws(DeviceKeyError) {
        guard isLocked.value else { return }
        throw DeviceKeyError(
            fault == .lockedKeysAreLost ? .lost : .unavailable,
            message: "The keys are locked."
        )
    }

    private func wrapped(_ key: any DeviceKey) -> any DeviceKey {
        let faulty = FaultyKey(base: key, fault: fault, isLocked: isLocked)
        return fault == .keysArePrinted ? PrintedKey(base: faulty, bytes: key.storedForm) : faulty
    }
}

private final class FaultyKey: DeviceKey, CustomReflectable {
    let base: any DeviceKey
    let fault: KeyFault
    let isLocked: Locked<Bool>
    private let count = Locked(0)

    init(base: any DeviceKey, fault: KeyFault, isLocked: Locked<Bool>) {
        (self.base, self.fault, self.isLocked) = (base, fault, isLocked)
    }

    var customMirror: Mirror { Mirror(self, children: []) }

    var storedForm: [UInt8] {
        base.storedForm + (fault == .storedFormsAreLong ? [UInt8](repeating: 0xFF, count: 4096) : [])
    }

    var publicPoint: [UInt8] {
        let point = base.publicPoint
        return fault == .pointsAreCompressed ? [2] + point[1..<33] : point
    }

    func signature(for bytes: [UInt8]) throws(DeviceKeyError) -> [UInt8] {
        if isLocked.value {
            throw DeviceKeyError(
                fault == .lockedKeysAreLost ? .lost : .unavailable,
                message: "The keys are locked."
            )
        }
        switch fault {
        case .signaturesAreShort: return Array(try base.signature(for: bytes).dropLast())
        case .hashesAreIgnored: return try base.signature(for: [])
        case .failsWhenUsedOften:
            // Only the check with several threads creates as many signatures.
            let count = count.withLock { count in
                count += 1
                return count
            }
            guard count <= 20 else { throw DeviceKeyError(.failed, message: "The key is busy.") }
            return try base.signature(for: bytes)
        default: return try base.signature(for: bytes)
        }
    }
}

/// A key whose description contains the key.
private struct PrintedKey: DeviceKey {
    let base: any DeviceKey
    let bytes: [UInt8]

    var storedForm: [UInt8] { bytes }
    var publicPoint: [UInt8] { base.publicPoint }

    func signature(for bytes: [UInt8]) throws(DeviceKeyError) -> [UInt8] { try base.signature(for: bytes) }
}
