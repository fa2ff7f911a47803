import LatchkeyModel
import TestDatabases
import Testing

@testable import LatchkeyServerCore

@Suite(.onEachDatabase) struct `The rows of limits` {
    private let bucket: [UInt8] = [1]
    private let until = Timestamp(seconds: 10)

    @Test func `are replaced only when they are as they were read`() async throws {
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
}
