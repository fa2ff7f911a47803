import LatchkeyModel

/// One test on one database: what it has opened is closed when it ends, also by those who forget.
final class TestScope: Sendable {
    private let databases = Locked<[LeasedDatabase]>([])

    /// Whether the test has a PostgreSQL database already.
    var hasLease: Bool { databases.withLock { !$0.isEmpty } }

    func add(_ database: LeasedDatabase) {
        databases.withLock { $0.append(database) }
    }

    func close() async {
        for database in databases.withLock({ $0 }) { await database.close() }
    }
}
