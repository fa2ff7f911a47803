import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServerKit
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Code repository` {
    private let database: any Database
    private let flow = Identifier()
    private let now = Timestamp(seconds: 1000)
    private let address = ContactAddress(via: .sms, value: "+439999999999")

    init() async throws {
        database = try await TestDatabase.current.open()
    }

    @Test func `Looking up the code of a flow that doesn't have one returns nil`() async throws {
        #expect(try await find() == nil)
        #expect(try await countAttempt(at: now) == nil)
    }

    @Test func `Guesses are counted up to the limit`() async throws {
        try await replace([1], at: now)
        for _ in 1...5 { #expect(try await countAttempt(at: now) == [1]) }
        #expect(try await countAttempt(at: now) == nil)
        #expect(try await find()?.attempts == 5)
    }

    @Test func `Concurrent guesses together can't exceed the limit`() async throws {
        try await replace([1], at: now)
        let counted = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<40 { group.addTask { try await countAttempt(at: now) != nil } }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(counted == 5)
    }

    @Test func `Guesses are rejected once the code has expired`() async throws {
        try await replace([1], at: now)
        #expect(try await countAttempt(at: now + .seconds(599)) != nil)
        #expect(try await countAttempt(at: now + .seconds(600)) == nil)
    }

    @Test func `A code can only be used once`() async throws {
        try await replace([1], at: now)
        let used = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 { group.addTask { try await use([1]) } }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(used == 1)
        #expect(try await countAttempt(at: now) == nil)
        #expect(try await find()?.usedAt == now)
    }

    @Test func `A new code replaces the old one and resets the number of guesses`() async throws {
        try await replace([1], at: now)
        for _ in 1...5 { _ = try await countAttempt(at: now) }
        #expect(try await use([1]))
        try await replace([2], at: now + .seconds(30))
        #expect(try await !use([1]))
        #expect(try await countAttempt(at: now + .seconds(629)) == [2])
        #expect(try await use([2]))
    }

    @Test func `If the limit applies to the whole flow, a new code doesn't reset the number of guesses`()
        async throws
    {
        try await replace([1], at: now)
        for _ in 1...3 { _ = try await countAttempt(at: now) }
        try await replace([2], guesses: .kept, at: now)
        #expect(try await find()?.attempts == 3)
        for _ in 4...5 { #expect(try await countAttempt(at: now) == [2]) }
        try await replace([3], guesses: .kept, at: now)
        #expect(try await countAttempt(at: now) == nil)
    }

    @Test func `A code is stored with its address and identity`() async throws {
        let owner = Identifier()
        let mailbox = ContactAddress(via: .email, value: "a@example.org")
        let code = IssuedCode(address: mailbox, identityID: owner, sealed: [9], expiresAt: now + .seconds(1))
        let guessed = try await database.transaction { [flow, now] transaction in
            try CodeRepository.replace(code, of: flow, guesses: .forgotten, at: now, in: transaction)
            return try CodeRepository.countAttempt(of: flow, limit: 1, at: now, in: transaction)
        }
        #expect(guessed?.address == mailbox)
        #expect(guessed?.identityID == owner)
        #expect(
            try await find()
                == IssuedCode(
                    address: mailbox,
                    identityID: owner,
                    sealed: [9],
                    attempts: 1,
                    expiresAt: now + .seconds(1)
                )
        )
    }

    private func replace(
        _ sealed: [UInt8],
        guesses: CodeRepository.Guesses = .forgotten,
        at time: Timestamp
    ) async throws {
        let code = IssuedCode(address: address, sealed: sealed, expiresAt: time + .seconds(600))
        try await database.transaction { [flow] transaction in
            try CodeRepository.replace(code, of: flow, guesses: guesses, at: time, in: transaction)
        }
    }

    private func find() async throws -> IssuedCode? {
        try await database.transaction { [flow] transaction in
            try CodeRepository.find(of: flow, in: transaction)
        }
    }

    private func countAttempt(at time: Timestamp) async throws -> [UInt8]? {
        try await database.transaction { [flow] transaction in
            try CodeRepository.countAttempt(of: flow, limit: 5, at: time, in: transaction)?.sealed
        }
    }

    private func use(_ sealed: [UInt8]) async throws -> Bool {
        try await database.transaction { [flow, now] transaction in
            try CodeRepository.use(sealed, of: flow, at: now, in: transaction)
        }
    }
}
