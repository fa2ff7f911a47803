import LatchkeyAccounts
import LatchkeyModel
import TestSpellings
import Testing

@testable import LatchkeySodium

@Suite struct `Unicode forms of hashed passwords` {
    private let parameters: Argon2idParameters
    private let hasher: Argon2idHasher
    private let recorder = Recorder()

    /// A verifier that records the passwords it is called with, and that no password matches.
    private final class Recorder: ForeignHashing {
        let passwords = Locked<[String]>([])

        func matches(_ password: Secret, hash: StoredHash) throws(PasswordHasherError) -> Bool? {
            passwords.withLock { $0.append(password.exposed) }
            return false
        }
    }

    init() throws {
        parameters = try #require(Argon2idParameters(memory: 64, iterations: 1))
        hasher = try Argon2idHasher(parameters: parameters, threads: 1, foreign: [recorder])
    }

    /// Hashes a password as it was typed, like another system.
    private func hashAsTyped(of password: String) throws -> String {
        let salt = [UInt8](repeating: 7, count: Argon2idHash.saltSize)
        return try Argon2idHash.compute(Secret(password), parameters: parameters, salt: salt).text
    }

    @Test(arguments: TypedSpellings.passwords)
    func `A new hash matches the password in every Unicode form`(_ spelling: TypedSpellings.Password)
        async throws
    {
        let hash = try await hasher.hash(Secret(spelling.set))
        switch try await hasher.verify(Secret(spelling.typed), against: hash) {
        case .right(let isOutdated): #expect(spelling.isSame && !isOutdated)
        case .wrong: #expect(!spelling.isSame)
        }
    }

    @Test(arguments: [
        ("Zu\u{308}rich-secret-7", "Zu\u{308}rich-secret-7", true),
        ("Z\u{FC}rich-secret-7", "Z\u{FC}rich-secret-7", false),
        ("Z\u{FC}rich-secret-7", "Zu\u{308}rich-secret-7", false),
        ("correct-Horse-7", "correct-Horse-7", false),
    ])
    func `A hash of another system matches the password as it was typed, and is outdated unless that is NFC`(
        set: String,
        typed: String,
        isOutdated: Bool
    ) async throws {
        let hash = try hashAsTyped(of: set)
        guard case .right(isOutdated) = try await hasher.verify(Secret(typed), against: hash) else {
            Issue.record("Expected a correct password with outdated: \(isOutdated).")
            return
        }
    }

    @Test(arguments: [
        ("wrong", ["wrong"]), ("wr\u{F6}ng", ["wr\u{F6}ng"]),
        ("wro\u{308}ng", ["wr\u{F6}ng", "wro\u{308}ng"]),
    ])
    func `A password is compared once in each of its forms`(password: String, compared: [String]) async throws
    {
        let imported = "$pbkdf2-sha1$i=4096,l=20$c2FsdA$SwB5AbdlSJq+rUnZJvch0GWkKcE"
        guard case .wrong = try await hasher.verify(Secret(password), against: imported) else {
            Issue.record("A wrong password is accepted.")
            return
        }
        let bytes = recorder.passwords.withLock { $0.map { Array($0.utf8) } }
        #expect(bytes == compared.map { Array($0.utf8) })
    }
}
