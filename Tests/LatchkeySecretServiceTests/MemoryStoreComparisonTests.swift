import LatchkeyCore
import LatchkeyTestKit
import Testing

/// Runs the same steps on a real keyring and on the memory store that simulates one in tests of apps.
@Suite(.timeLimit(.minutes(5))) struct `Memory store and keyring` {
    /// An operation on a store, or a user's action.
    enum Step: Sendable {
        case read, lock, unlock, remove, write, replace, removeWritten
    }

    /// A sequence of steps that begins with an empty, unlocked store.
    struct Scenario: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let steps: [Step]
    }

    private static let scenarios = [
        Scenario(
            testDescription: "a locked record is unavailable and cannot be changed",
            steps: [.write, .lock, .read, .write, .replace, .removeWritten, .unlock, .read, .replace, .read]
        ),
        Scenario(
            testDescription: "a record that is removed while it is locked stays removed",
            steps: [.write, .lock, .remove, .read, .write, .unlock, .read, .replace, .write, .read]
        ),
        Scenario(
            testDescription: "a removal can be repeated while the store is locked",
            steps: [.write, .lock, .remove, .remove, .read, .unlock, .read, .remove, .read]
        ),
        Scenario(
            testDescription: "a removed record does not return when the store is locked again",
            steps: [.write, .lock, .remove, .unlock, .read, .lock, .unlock, .read, .write, .lock, .read]
        ),
        Scenario(
            testDescription: "a record that is removed while it is unlocked is absent",
            steps: [.write, .remove, .read, .removeWritten, .write, .read]
        ),
    ]

    @Test(arguments: scenarios)
    func `The memory store behaves like a real keyring`(_ scenario: Scenario) async throws {
        let memory = MemoryStore()
        let simulated = try await results(of: scenario.steps, on: memory) { isLocked in
            if isLocked { memory.lock() } else { memory.unlock() }
        }

        try await Desktop.with { (desktop) async throws in
            let real = try await results(of: scenario.steps, on: desktop.store()) { isLocked in
                if isLocked { try await desktop.lock() } else { try await desktop.unlock() }
            }
            #expect(simulated == real)
        }
    }

    /// Performs the steps and returns one line for each of them, such as `remove: done, pending`.
    private func results(
        of steps: [Step],
        on store: some SessionStore,
        setLocked: (Bool) async throws -> Void
    ) async throws -> [String] {
        var results: [String] = []
        var written: UInt64 = 0
        for step in steps {
            var result = "done"
            switch step {
            case .lock: try await setLocked(true)
            case .unlock: try await setLocked(false)
            case .read: result = "\(try await store.reading())"
            case .remove: result = try await store.removing()?.rawValue ?? result
            case .removeWritten:
                let generation = written
                result = try await off { () -> String in
                    do throws(SessionStoreError) {
                        try store.remove(basedOn: generation)
                        return "done"
                    } catch {
                        return error.code.rawValue
                    }
                }
            case .write, .replace:
                let base = step == .write ? 0 : written
                switch try await store.writing("record \(results.count)", basedOn: base) {
                case .success(let generation): written = generation
                case .failure(let refusal): result = refusal.code.rawValue
                }
            }
            let isPending = try await off { store.report.isErasurePending }
            results.append("\(step): \(result)\(isPending ? ", pending" : "")")
        }
        return results
    }
}
