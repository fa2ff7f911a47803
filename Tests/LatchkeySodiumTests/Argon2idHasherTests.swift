import LatchkeyAccounts
import LatchkeyModel
import LatchkeySodium
import Testing

@Suite struct `Argon2id hashing` {
    private let cheap: Argon2idParameters
    private let hasher: Argon2idHasher

    init() throws {
        cheap = try #require(Argon2idParameters(memory: 64, iterations: 1))
        hasher = try Argon2idHasher(parameters: cheap, threads: 1)
    }

    /// The first three are test vectors from the algorithm's reference implementation.
    @Test(arguments: [
        (
            "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "password", true
        ),
        (
            "$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc",
            "password", true
        ),
        (
            "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "Password", false
        ),
        ("$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR", "password", false),
        ("", "password", false),
    ])
    func `Third-party hashes can be verified`(hash: String, password: String, isRight: Bool) async throws {
        switch try await hasher.verify(Secret(password), against: hash) {
        case .right(let outdated): #expect(isRight && outdated)
        case .wrong: #expect(!isRight)
        }
    }

    @Test(arguments: ["", "000000", "a\u{0}b", "häßlich 🗝", String(repeating: "long ", count: 1000)])
    func `A hash only matches the password that it was created from`(password: String) async throws {
        let hash = try await hasher.hash(Secret(password))

        #expect(hash.hasPrefix("$argon2id$v=19$m=64,t=1,p=1$"))
        #expect(try await hasher.verify(Secret(password), against: hash).isRight)
        #expect(try await !hasher.verify(Secret(password + "\u{0}"), against: hash).isRight)
        #expect(try await !hasher.verify(Secret(password + "x"), against: hash).isRight)
        #expect(try await !hasher.verify(Secret(String(password.dropLast()) + "y"), against: hash).isRight)
    }

    @Test func `Every hash has a new salt`() async throws {
        #expect(try await hasher.hash("000000") != hasher.hash("000000"))
    }

    @Test(arguments: [(64, 1, false), (128, 1, true), (64, 2, true)])
    func `Hashes with outdated parameters are reported`(memory: Int, iterations: Int, outdated: Bool)
        async throws
    {
        let parameters = try #require(Argon2idParameters(memory: memory, iterations: iterations))
        let other = try Argon2idHasher(parameters: parameters, threads: 1)
        let hash = try await hasher.hash("000000")

        guard case .right(outdated) = try await other.verify("000000", against: hash) else {
            Issue.record("Expected a correct password with outdated: \(outdated).")
            return
        }
    }

    @Test func `Verifying without a hash takes as much CPU time as with a current hash`() async throws {
        let parameters = try #require(Argon2idParameters(memory: 8192, iterations: 3))
        let costly = try Argon2idHasher(parameters: parameters, threads: 1)
        let hash = try await costly.hash("000000")
        func cost(against hash: String?) async throws -> Duration {
            let before = costly.cpuTime
            for _ in 0..<5 {
                #expect(try await !costly.verify("111111", against: hash).isRight)
            }
            // A thread may resume the caller before it records the CPU time, so we verify one more password
            // before we read the total.
            _ = try await costly.verify("111111", against: "")
            return costly.cpuTime - before
        }

        let (known, unknown) = (try await cost(against: hash), try await cost(against: nil))

        #expect(known > .milliseconds(5))
        #expect(unknown > known / 2 && unknown < known * 2)
    }

    @Test func `Passwords that exceed the queue limit are rejected with a retry delay`() async throws {
        let full = try Argon2idHasher(parameters: cheap, threads: 1, queue: 0)

        let error = await #expect(throws: PasswordHasherError.self) { try await full.hash("000000") }
        guard case .overloaded(retryAfter: 1) = error else {
            Issue.record("Expected the error overloaded.")
            return
        }
    }

    @Test func `A password can be verified while the queue for new hashes is full`() async throws {
        let slow = try #require(Argon2idParameters(memory: 64 * 1024, iterations: 2))
        let hasher = try Argon2idHasher(parameters: slow, threads: 1, queue: 1)
        let stored = try await hasher.hash("000000")
        await withTaskGroup { group in
            // One password is being hashed and another one is waiting. All others are rejected.
            let ended = Locked(0)
            for _ in 0..<8 {
                group.addTask {
                    _ = try? await hasher.hash("111111")
                    ended.withLock { $0 += 1 }
                }
            }
            while hasher.waiting == 0, ended.withLock(\.self) < 8 { await Task.yield() }
            let verdict = try? await hasher.verify("000000", against: stored)
            #expect(verdict?.isRight == true)
        }
    }

    @Test func `Accepted work is completed even if the caller is cancelled`() async throws {
        let hasher = hasher
        await withTaskGroup { group in
            for number in 0..<40 {
                group.addTask {
                    let hash = try? await hasher.hash("000000")
                    #expect(hash != nil, "number \(number)")
                }
            }
            group.cancelAll()
        }
        #expect(try await hasher.verify("000000", against: hasher.hash("000000")).isRight)
    }

    @Test func `A closed hasher rejects passwords`() async throws {
        let hasher = try Argon2idHasher(parameters: cheap, threads: 2)
        _ = try await hasher.hash("000000")
        await hasher.close()

        await #expect(throws: PasswordHasherError.self) { try await hasher.hash("000000") }
    }

    @Test(arguments: [(7, 1), (8, 0), (4_194_305, 1)])
    func `Parameters that Argon2id doesn't support are rejected`(memory: Int, iterations: Int) {
        #expect(Argon2idParameters(memory: memory, iterations: iterations) == nil)
    }
}

extension PasswordVerdict {
    fileprivate var isRight: Bool {
        if case .right = self { true } else { false }
    }
}
