import LatchkeyModel
import TestDatabases
import Testing

@testable import LatchkeyAccounts
@testable import LatchkeyServerKit

@Suite(.onEachDatabase) struct `Limit repository` {
    private let bucket: [UInt8] = [1]
    private let until = Timestamp(seconds: 10)

    @Test func `A row is only replaced if it hasn't changed since it was read`() async throws {
        let database = try await TestDatabase.current.open()
        let (bucket, until) = (bucket, until)
        let replaced = try await database.transaction { transaction in
            [
                try LimitRepository.replace([9], by: [1], in: bucket, until: until, in: transaction),
                try LimitRepository.replace(nil, by: [2], in: bucket, until: until, in: transaction),
                try LimitRepository.replace(nil, by: [3], in: bucket, until: until, in: transaction),
                try LimitRepository.replace([9], by: [4], in: bucket, until: until, in: transaction),
                try LimitRepository.replace([2], by: [5], in: bucket, until: until, in: transaction),
            ]
        }
        #expect(replaced == [false, true, false, false, true])
        #expect(try await database.rows("SELECT stamps FROM limits")[0].blob(0) == [5])
    }

    @Test func `Rows that have expired are deleted in batches, oldest first`() async throws {
        let database = try await TestDatabase.current.open()
        try await database.transaction { transaction in
            for second in 1...5 {
                let bucket = [UInt8(second)]
                let until = Timestamp(seconds: Int64(second))
                _ = try LimitRepository.replace(nil, by: bucket, in: bucket, until: until, in: transaction)
            }
        }
        var deleted: [Int] = []
        var left: [[UInt8]] = []
        for _ in 0..<3 {
            deleted.append(
                try await database.transaction { transaction in
                    try LimitRepository.deleteExpired(at: Timestamp(seconds: 3), atMost: 2, in: transaction)
                }
            )
            let rows = try await database.rows("SELECT bucket FROM limits ORDER BY bucket")
            left.append(try rows.flatMap { try $0.blob(0) })
        }
        #expect(deleted == [2, 1, 0])
        #expect(left == [[3, 4, 5], [4, 5], [4, 5]])
    }
}
