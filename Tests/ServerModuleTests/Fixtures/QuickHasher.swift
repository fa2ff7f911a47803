import LatchkeyAccounts
import LatchkeyModel

/// A fast hasher that counts its calls and includes its parameters in the hashes.
final class QuickHasher: PasswordHasher {
    private struct State {
        var work = 0
        var checked: [String?] = []
        var failure: PasswordHasherError?
        var interruption: (@Sendable () async -> Void)?
    }

    private let state = Locked(State())

    /// The number of passwords that were hashed or verified.
    var work: Int { state.withLock(\.work) }

    /// The hashes that passwords were verified against.
    var checked: [String?] { state.withLock(\.checked) }

    /// Makes every call throw this error from now on, or restores normal operation if the error is `nil`.
    func fail(with failure: PasswordHasherError?) {
        state.withLock { $0.failure = failure }
    }

    /// Performs an action while the next password is verified.
    func interrupt(with action: @escaping @Sendable () async -> Void) {
        state.withLock { $0.interruption = action }
    }

    func hash(_ password: Secret) async throws(PasswordHasherError) -> String {
        try count()
        return "quick2:" + Self.reversed(password.composed)
    }

    func verify(_ password: Secret, against hash: String?) async throws(PasswordHasherError)
        -> PasswordVerdict
    {
        try count()
        let interruption = state.withLock { state in
            state.checked.append(hash)
            defer { state.interruption = nil }
            return state.interruption
        }
        await interruption?()
        let match = password.spellings.firstIndex { spelling in
            hash?.utf8.dropFirst(7).elementsEqual(Self.reversed(spelling).utf8) == true
        }
        guard let hash, let match else { return .wrong }
        return .right(outdated: match > 0 || !hash.hasPrefix("quick2:"))
    }

    private static func reversed(_ password: Secret) -> String { String(password.exposed.reversed()) }

    private func count() throws(PasswordHasherError) {
        try state.withLock { state throws(PasswordHasherError) in
            if let failure = state.failure { throw failure }
            state.work += 1
        }
    }
}
