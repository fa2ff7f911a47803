import Dispatch
public import LatchkeyCore
import LatchkeyModel

/// Conformance checks for implementations of `DeviceKeyProvider`.
///
/// The checks create keys and remove them again. They work with any test framework: just assert that
/// ``violations()`` is empty.
public struct DeviceKeyConformance: Sendable {
    /// The maximum size of a stored form in bytes.
    ///
    /// The stored form is part of the session's record, which some stores limit to a few kilobytes.
    public static let storedFormLimit = 2048

    private let open: @Sendable () -> any DeviceKeyProvider
    private let verifier: any SignatureVerifier
    private let setLocked: (@Sendable (Bool) -> Void)?

    /// Creates the checks.
    ///
    /// - Parameters:
    ///   - verifier: Verifies the keys' signatures. It must not be part of the provider.
    ///   - locking: A closure that is called with `true` to make all keys unavailable, as before the first
    ///     unlocking of a device, and with `false` to make them available again. Pass `nil` for keys that are
    ///     always available.
    ///   - open: A closure that opens the provider. Each call must return a new instance that uses the same
    ///     keys.
    public init(
        verifier: any SignatureVerifier,
        locking: (@Sendable (Bool) -> Void)? = nil,
        _ open: @escaping @Sendable () -> any DeviceKeyProvider
    ) {
        self.open = open
        self.verifier = verifier
        setLocked = locking
    }

    /// Runs all checks on a separate thread, because keys may block.
    ///
    /// The checks run one after the other, even after a violation.
    ///
    /// - Returns: One sentence for each requirement that the provider violates.
    public func violations() async -> [String] {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "latchkey.conformance").async {
                continuation.resume(returning: allViolations())
            }
        }
    }

    private func allViolations() -> [String] {
        let checks: [(String, () throws -> Bool)] = [
            ("A public point is 65 bytes long and starts with 0x04.", pointsAreUncompressed),
            ("Each key is different.", keysDiffer),
            (
                "A signature is 64 bytes long and is valid for exactly the message and the key.",
                signaturesAreValid
            ),
            ("A stored form has at most \(Self.storedFormLimit) bytes.", storedFormsAreShort),
            ("A key that was restored by another instance is the same key.", restoresKeys),
            ("A damaged stored form is reported as lost.", reportsDamage),
            ("Removing a key has no effect on other keys, and can be repeated.", removesOneKey),
            ("A key can be used by several threads.", signsConcurrently),
            ("A printed key does not contain its stored form.", printsNoKeys),
            (
                "A locked key is unavailable, and can be used again once it is unlocked.",
                survivesLocking
            ),
        ]
        return checks.compactMap { requirement, check in
            do {
                return try check() ? nil : requirement
            } catch {
                return "\(requirement) The check failed: \(error)"
            }
        }
    }

    /// Creates a key, passes it to a closure, and removes it again.
    private func withKey<Value>(_ body: (any DeviceKey) throws -> Value) throws -> Value {
        let keys = open()
        let key = try keys.makeKey()
        defer { keys.removeKey(key.storedForm) }
        return try body(key)
    }

    private func isValid(_ signature: [UInt8], for message: [UInt8], by key: any DeviceKey) -> Bool {
        let point = key.publicPoint
        guard signature.count == 64, point.count == 65 else { return false }
        let key = SignatureKey.es256(x: Array(point[1..<33]), y: Array(point[33...]))
        return verifier.isValid(signature, for: message, by: key)
    }

    private func pointsAreUncompressed() throws -> Bool {
        try withKey { $0.publicPoint.count == 65 && $0.publicPoint.first == 4 }
    }

    private func keysDiffer() throws -> Bool {
        try withKey { one in
            try withKey { other in
                one.publicPoint != other.publicPoint && one.storedForm != other.storedForm
            }
        }
    }

    /// Checks messages of 0 to 100,000 bytes, another message and another key.
    private func signaturesAreValid() throws -> Bool {
        try withKey { key in
            try withKey { other in
                for message in [[], [0], Array(0...255), [UInt8](repeating: 0xA5, count: 100_000)] {
                    let signature = try key.signature(for: message)
                    guard isValid(signature, for: message, by: key) else { return false }
                    guard !isValid(signature, for: message + [0], by: key) else { return false }
                    guard !isValid(signature, for: message, by: other) else { return false }
                }
                return true
            }
        }
    }

    private func storedFormsAreShort() throws -> Bool {
        try withKey { $0.storedForm.count <= Self.storedFormLimit }
    }

    private func restoresKeys() throws -> Bool {
        try withKey { key in
            let again = try open().key(from: key.storedForm)
            guard again.publicPoint == key.publicPoint, again.storedForm == key.storedForm else {
                return false
            }
            return isValid(try again.signature(for: [1]), for: [1], by: key)
        }
    }

    /// Checks an empty form, other bytes, and a form without its last byte.
    private func reportsDamage() throws -> Bool {
        try withKey { key in
            let forms = [
                [], [UInt8](repeating: 0, count: key.storedForm.count), Array(key.storedForm.dropLast()),
            ]
            return forms.allSatisfy { form in
                do throws(DeviceKeyError) {
                    _ = try open().key(from: form)
                    return false
                } catch {
                    return error.code == .lost
                }
            }
        }
    }

    private func removesOneKey() throws -> Bool {
        try withKey { key in
            let keys = open()
            let other = try keys.makeKey()
            for form in [other.storedForm, other.storedForm, [], [0xFF]] { keys.removeKey(form) }
            let again = try keys.key(from: key.storedForm)
            return isValid(try again.signature(for: [1]), for: [1], by: key)
        }
    }

    private func signsConcurrently() throws -> Bool {
        try withKey { key in
            let failures = Locked(0)
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                for round in 0..<10 {
                    let message = [UInt8(thread), UInt8(round)]
                    let signature = try? key.signature(for: message)
                    guard let signature, isValid(signature, for: message, by: key) else {
                        failures.withLock { $0 += 1 }
                        continue
                    }
                }
            }
            return failures.withLock { $0 } == 0
        }
    }

    /// Checks the key's descriptions, and the values that a debugger or a dump would show.
    private func printsNoKeys() throws -> Bool {
        try withKey { key in
            let form = key.storedForm
            let text = "\(key) \(String(reflecting: key))"
            let isPrinted =
                text.contains("\(form)".dropFirst().dropLast())
                || text.contains(Base64URL.encode(form).prefix(16))
            return !isPrinted && !Self.shows(form, in: Mirror(reflecting: key), depth: 8)
        }
    }

    /// Returns whether a mirror has the given bytes as a value.
    private static func shows(_ bytes: [UInt8], in mirror: Mirror, depth: Int) -> Bool {
        guard depth > 0 else { return false }
        return mirror.children.contains { child in
            child.value as? [UInt8] == bytes
                || shows(bytes, in: Mirror(reflecting: child.value), depth: depth - 1)
        } || mirror.superclassMirror.map { shows(bytes, in: $0, depth: depth - 1) } == true
    }

    /// Checks that creating, restoring and using keys fails with `unavailable`, and that no key is lost.
    ///
    /// The check passes if keys can't be locked.
    private func survivesLocking() throws -> Bool {
        guard let setLocked else { return true }
        return try withKey { key in
            setLocked(true)
            let refusals = [
                code { () throws(DeviceKeyError) in try open().makeKey() },
                code { () throws(DeviceKeyError) in
                    try open().key(from: key.storedForm).signature(for: [1])
                },
                code { () throws(DeviceKeyError) in try key.signature(for: [1]) },
            ]
            setLocked(false)
            guard refusals.allSatisfy({ $0 == .unavailable }) else { return false }
            return isValid(try open().key(from: key.storedForm).signature(for: [1]), for: [1], by: key)
        }
    }

    private func code<Value>(_ body: () throws(DeviceKeyError) -> Value) -> DeviceKeyError.Code? {
        do throws(DeviceKeyError) {
            _ = try body()
            return nil
        } catch {
            return error.code
        }
    }
}
