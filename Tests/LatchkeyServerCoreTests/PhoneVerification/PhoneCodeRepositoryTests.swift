import LatchkeyModel
import LatchkeyServerCore
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Phone code repository` {
    private let database: any Database
    private let flow = Identifier()
    private let now = Timestamp(seconds: 1000)
    private let phone: PhoneNumber

    init() async throws {
        database = try await TestDatabase.current.open()
        phone = try #require(PhoneNumber("+439999999999"))
    }

    @Test func `knows nothing of a flow without a code`() async throws {
        #expect(try await find() == nil)
        #expect(try await countAttempt(at: now) == nil)
    }

    @Test func `counts guesses up to the limit`() async throws {
        try await replace([1], at: now)
        for _ in 1...5 { #expect(try await countAttempt(at: now) == [1]) }
        #expect(try await countAttempt(at: now) == nil)
        #expect(try await find()?.attempts == 5)
    }

    @Test func `counts no more guesses than the limit when many come at once`() async throws {
        try await replace([1], at: now)
        let counted = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<40 { group.addTask { try await countAttempt(at: now) != nil } }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(counted == 5)
    }

    @Test func `takes no guess after the code's time`() async throws {
        try await replace([1], at: now)
        #expect(try await countAttempt(at: now + .seconds(599)) != nil)
        #expect(try await countAttempt(at: now + .seconds(600)) == nil)
    }

    @Test func `uses a code up once`() async throws {
        try await replace([1], at: now)
        let used = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 { group.addTask { try await use([1]) } }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(used == 1)
        #expect(try await countAttempt(at: now) == nil)
        #expect(try await find()?.usedAt == now)
    }

    @Test func `lets a new code take the old one's place, with guesses of its own`() async throws {
        try await replace([1], at: now)
        for _ in 1...5 { _ = try await countAttempt(at: now) }
        #expect(try await use([1]))
        try await replace([2], at: now + .seconds(30))
        #expect(try await !use([1]))
        #expect(try await countAttempt(at: now + .seconds(629)) == [2])
        #expect(try await use([2]))
    }

    private func replace(_ sealed: [UInt8], at time: Timestamp) async throws {
        let code = PhoneCode(phone: phone, sealed: sealed, expiresAt: time + .seconds(600))
        try await database.transaction { [flow] transaction in
            try PhoneCodeRepository.replace(code, of: flow, at: time, in: transaction)
        }
    }

    private func find() async throws -> PhoneCode? {
        try await database.transaction { [flow] transaction in
            try PhoneCodeRepository.find(of: flow, in: transaction)
        }
    }

    private func countAttempt(at time: Timestamp) async throws -> [UInt8]? {
        try await database.transaction { [flow] transaction in
            try PhoneCodeRepository.countAttempt(of: flow, limit: 5, at: time, in: transaction)?.sealed
        }
    }

    private func use(_ sealed: [UInt8]) async throws -> Bool {
        try await database.transaction { [flow, now] transaction in
            try PhoneCodeRepository.use(sealed, of: flow, at: now, in: transaction)
        }
    }
}
