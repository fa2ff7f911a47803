import LatchkeyModel

/// The scope of one test with one database.
///
/// The scope closes all databases that the test has opened.
final class TestScope: Sendable {
    private let databases = Locked<[LeasedDatabase]>([])

    /// Whether the test already has a PostgreSQL database.
    var hasLease: Bool { databases.withLock { !$0.isEmpty } }

    func add(_ database: LeasedDatabase) {
        databases.withLock { $0.append(database) }
    }

    func close() async {
        for database in databases.withLock({ $0 }) { await database.close() }
    }
}
