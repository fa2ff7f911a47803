import LatchkeyAccounts
import LatchkeyModel

/// A fast hasher that counts its calls and includes its parameters in the hashes.
final class QuickHasher: PasswordHasher {
    private struct State {
        var work = 0
        var checked: [String?] = []
        var failure: PasswordHasherError?
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

    func hash(_ password: Secret) async throws(PasswordHasherError) -> String {
        try count()
        return "quick2:" + String(password.exposed.reversed())
    }

    func verify(_ password: Secret, against hash: String?) async throws(PasswordHasherError)
        -> PasswordVerdict
    {
        try count()
        state.withLock { $0.checked.append(hash) }
        guard let hash, hash.dropFirst(7) == String(password.exposed.reversed()) else { return .wrong }
        return .right(outdated: !hash.hasPrefix("quick2:"))
    }

    private func count() throws(PasswordHasherError) {
        try state.withLock { state throws(PasswordHasherError) in
            if let failure = state.failure { throw failure }
            state.work += 1
        }
    }
}
