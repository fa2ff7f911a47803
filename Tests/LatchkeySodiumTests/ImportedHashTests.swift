import LatchkeyAccounts
import LatchkeyModel
import LatchkeySodium
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@Suite(.timeLimit(.minutes(1))) struct `Imported password hashes` {
    private let hasher: Argon2idHasher

    init() throws {
        hasher = try Argon2idHasher(
            parameters: try #require(Argon2idParameters(memory: 256, iterations: 2)),
            threads: 1,
            foreign: [DerivedKeyHashing()]
        )
    }

    /// These hashes come from the tests of Argon2's reference implementation and from RFC 6070.
    @Test(arguments: [
        ("$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4", false),
        ("$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc", true),
        ("$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8", true),
        ("$argon2i$v=19$m=256,t=2,p=2$c29tZXNhbHQ$T/XOJ2mh1/TIpJHfCdQan76Q5esCFVoT5MAeIM1Oq2E", true),
        ("$argon2id$v=19$m=65536,t=1,p=1$c29tZXNhbHQ$9qWtwbpyPd3vm1rB1GThgPzZ3/ydHL92zKL+15XZypg", true),
        ("$pbkdf2-sha1$i=4096,l=20$c2FsdA$SwB5AbdlSJq+rUnZJvch0GWkKcE", true),
    ])
    func `A hash is outdated if it uses a different algorithm or cost`(hash: String, isOutdated: Bool)
        async throws
    {
        #expect(throws: Never.self) { try StoredHash(hash) }
        guard case .right(let outdated) = try await hasher.verify("password", against: hash) else {
            Issue.record("The correct password is rejected.")
            return
        }
        #expect(outdated == isOutdated)
        guard case .wrong = try await hasher.verify("passwore", against: hash) else {
            Issue.record("A wrong password is accepted.")
            return
        }
    }

    @Test(arguments: [
        "$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "nonsense", "",
        "$scrypt$ln=30,r=8,p=1$$",
    ])
    func `A hash in an unknown format never matches`(hash: String) async throws {
        guard case .wrong = try await hasher.verify("U*U", against: hash) else {
            Issue.record("A password is accepted.")
            return
        }
    }

    /// A verifier whose hashes take until the test ends.
    private final class Blocking: ForeignHashing {
        let gate = Locked(false)
        let isRunning = Locked(false)

        func matches(_ password: Secret, hash: StoredHash) throws(PasswordHasherError) -> Bool? {
            isRunning.withLock { $0 = true }
            while !gate.withLock(\.self) { sched_yield() }
            return false
        }
    }

    @Test(arguments: [
        "$pbkdf2-sha1$i=4096,l=20$c2FsdA$SwB5AbdlSJq+rUnZJvch0GWkKcE",
        "$scrypt$ln=16,r=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$VawEblbjCJ/sFpHCJUS2BflBhSFt3gRl5oudV8INrLw",
    ])
    func `Expensive imported hashes don't keep other users from logging in`(imported: String) async throws {
        let blocking = Blocking()
        let hasher = try Argon2idHasher(
            parameters: try #require(Argon2idParameters(memory: 256, iterations: 2)),
            threads: 1,
            foreign: [blocking]
        )
        let stored = try await hasher.hash("password")
        await withTaskGroup { group in
            for _ in 0..<6 {
                group.addTask { _ = try? await hasher.verify("wrong", against: imported) }
            }
            while hasher.waiting < 5 { await Task.yield() }
            let verdict = try? await hasher.verify("password", against: stored)
            guard case .right(false) = verdict else {
                Issue.record("The password isn't verified while imported hashes are.")
                blocking.gate.withLock { $0 = true }
                return
            }
            #expect(hasher.waiting >= 5)
            blocking.gate.withLock { $0 = true }
        }
    }

    @Test func `An Argon2 hash that is more expensive than new hashes waits with the imported ones`()
        async throws
    {
        let blocking = Blocking()
        let hasher = try Argon2idHasher(
            parameters: try #require(Argon2idParameters(memory: 256, iterations: 2)),
            threads: 1,
            foreign: [blocking]
        )
        let costly = "$argon2id$v=19$m=512,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"
        await withTaskGroup { group in
            group.addTask {
                let foreign = "$pbkdf2-sha1$i=4096,l=20$c2FsdA$SwB5AbdlSJq+rUnZJvch0GWkKcE"
                _ = try? await hasher.verify("wrong", against: foreign)
            }
            while !blocking.isRunning.withLock(\.self) { await Task.yield() }
            group.addTask { _ = try? await hasher.verify("wrong", against: costly) }
            // The costly hash stays in the queue of the blocked thread.
            while hasher.waiting < 1 { await Task.yield() }
            #expect((try? await hasher.hash("password")) != nil)
            #expect(hasher.waiting == 1)
            blocking.gate.withLock { $0 = true }
        }
    }
}
