import LatchkeyModel
import LatchkeyPostgreSQL
import TestDatabases
import Testing

@testable import LatchkeyCourier
@testable import LatchkeyServerKit

@Suite(.timeLimit(.minutes(10))) struct `Message leases in PostgreSQL` {
    private let now = Timestamp(seconds: 10)

    private func take(in transaction: borrowing Transaction) throws -> Identifier? {
        try MessageRepository.take(.sms, at: now, until: now + .seconds(60), in: transaction)?.id
    }

    @Test func `Each message is leased to one worker without blocking the others`() async throws {
        try await withPostgreSQL(PostgreSQLOptions(statementTimeout: .seconds(2))) { lent async throws in
            let (database, gate) = (lent.database, Gate())
            try await database.transaction { transaction in
                for time in 1...2 {
                    try transaction.execute(
                        """
                        INSERT INTO messages (id, channel, template, sealed, status, attempts, due_at, \
                        leased_until, created_at, updated_at) VALUES ($1, $2, 't', $1, 'queued', 0, $3, 0, 1, 1)
                        """,
                        .identifier(Identifier()),
                        .text(Message.Channel.sms.rawValue),
                        .integer(Int64(time))
                    )
                }
            }
            async let first = database.transaction { transaction in
                let id = try take(in: transaction)
                gate.pass()
                return id
            }
            await gate.reached()
            // The first worker has leased its message but not reported an outcome yet.
            let second = await Result { try await database.transaction { try take(in: $0) } }
            gate.open()

            let ids = [try await first, try second.get()].compactMap { $0 }
            #expect(Set(ids).count == 2)
            #expect(try await database.transaction { try take(in: $0) } == nil)
        }
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
