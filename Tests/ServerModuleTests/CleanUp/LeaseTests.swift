import LatchkeyModel
import LatchkeyServerKit
import LatchkeyTestKit
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Leases` {
    private let time = VirtualTime()
    private let database: any Database

    init() async throws {
        database = try await TestDatabase.current.open()
    }

    private func take(at now: Timestamp) async throws -> Bool {
        try await database.transaction { transaction in
            try Lease.take("task", until: now + .seconds(600), at: now, in: transaction)
        }
    }

    @Test func `A lease is held until it expires`() async throws {
        let now = time.now
        #expect(try await take(at: now))
        for seconds in [0, 1, 300, 599] { #expect(try await !take(at: now + .seconds(seconds))) }
        #expect(try await take(at: now + .seconds(600)))
    }

    @Test func `A node whose clock is slightly behind doesn't take another node's lease`() async throws {
        #expect(try await take(at: time.now + .seconds(59)))
        #expect(try await !take(at: time.now))
    }

    @Test(arguments: [61, 7200, 400 * 86_400])
    func `A lease that was acquired while the clock was ahead isn't held any longer`(step: Int) async throws {
        #expect(try await take(at: time.now + .seconds(step)))
        #expect(try await take(at: time.now))
        #expect(try await !take(at: time.now + .seconds(599)))
        #expect(try await take(at: time.now + .seconds(600)))
    }
}
