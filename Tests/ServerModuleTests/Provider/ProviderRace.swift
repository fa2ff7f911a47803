import Foundation

/// How often and by how many requests at once the provider's races are run.
enum ProviderRace {
    /// The number of rounds, which is 5,000 with `scripts/check --deep`.
    static let rounds = ProcessInfo.processInfo.environment["DEEP_TESTS"] == nil ? 200 : 5000

    /// The number of requests at once, which are divided between two servers.
    static let width = 20

    /// Performs an action several times at once, and returns the outcomes in the order in which they arrive.
    static func run<Outcome: Sendable>(
        times: Int = width,
        _ action: @escaping @Sendable (_ index: Int) async throws -> Outcome
    ) async throws -> [Outcome] {
        try await withThrowingTaskGroup(of: Outcome.self) { group in
            for index in 0..<times { group.addTask { try await action(index) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}
