import Foundation
import Latchkey
import LatchkeyModel
import LatchkeyPurchases
import LatchkeyTestKit
import LatchkeyWire
import TestStore
import Testing

/// Performs every operation while an intermediary interferes with one of its exchanges.
@Suite(.timeLimit(.minutes(20))) struct `Operations behind an intermediary` {
    /// An operation that has started its call, and how the call has ended.
    private struct Outcome {
        let bystander: Bystander
        let error: (any Error)?
    }

    private static func perform(
        _ operation: Operation,
        on server: TestServer,
        number: Int,
        behind interference: (Interference, after: Int)?
    ) async throws -> Outcome {
        // Limits on texts and orders apply to a day.
        server.time.advance(by: .seconds(86_400))
        let bystander = try await Bystander(server, number: number)
        let call = try await operation.prepare(bystander)
        bystander.intermediary.forget()
        if let (interference, count) = interference {
            bystander.intermediary.interfere(interference, after: count)
        }
        let failure = await Self.failure(of: call, at: server.time)
        bystander.intermediary.interfere(nil)
        return Outcome(bystander: bystander, error: failure)
    }

    /// Returns the error of a call, and lets time pass if the call waits before it repeats a request.
    private static func failure(
        of call: @escaping @Sendable () async throws -> Void,
        at time: VirtualTime
    ) async -> (any Error)? {
        let isDone = Locked(false)
        let task = Task { () -> (any Error)? in
            defer { isDone.withLock { $0 = true } }
            do {
                try await call()
                return nil
            } catch {
                return error
            }
        }
        var turns = 0
        while !isDone.withLock({ $0 }) {
            await Task.yield()
            turns += 1
            if turns % 5000 == 0 { time.advance(by: .seconds(3)) }
        }
        return await task.value
    }

    /// Returns the interferences with a request, which are all of them with `scripts/check --deep`.
    private static func interferences(with operation: Operation, at count: Int) -> [Interference] {
        let all = Interference.all.filter { !operation.accepts($0) }
        guard ProcessInfo.processInfo.environment["DEEP_TESTS"] == nil else { return all }
        let first = (operation.testDescription.utf8.count + count) % stride
        return Swift.stride(from: first, to: all.count, by: stride).map { all[$0] }
    }

    private static let stride = 9

    @Test(arguments: Operation.all)
    func `An interference is neither a success nor a verdict`(_ operation: Operation) async throws {
        let server = try await TestServer.withStore()
        let clean = try await Self.perform(operation, on: server, number: 0, behind: nil)
        #expect(clean.error == nil)
        let requests = clean.bystander.intermediary.exchanges.count
        #expect(requests > 0)

        var number = 0
        for count in 0..<requests {
            for interference in Self.interferences(with: operation, at: count) {
                number += 1
                let outcome = try await Self.perform(
                    operation,
                    on: server,
                    number: number,
                    behind: (interference, after: count)
                )
                let place = "\(interference.testDescription) at request \(count)"
                if let error = outcome.error {
                    #expect(error.mayBeRepeated, "\(place): \(error)")
                } else {
                    for route in outcome.bystander.intermediary.exchanges.unconfirmedRoutes {
                        Issue.record("\(place): the call returned, but the response of \(route) was replaced")
                    }
                }
                let client = outcome.bystander.app.client
                let state = try await client.checkSession()
                #expect(
                    state.session != nil || outcome.bystander.intermediary.exchanges.endedSessions,
                    "\(place)"
                )
            }
        }
        await server.stop()
    }
}

extension [Intermediary.Exchange] {
    /// Whether the server has received a request that ends the session.
    fileprivate var endedSessions: Bool {
        contains { $0.route == "DELETE /a/account" && $0.original?.status == 202 }
    }

    /// The routes without a successful response that has reached the client.
    fileprivate var unconfirmedRoutes: Set<String> {
        // Forms that ask for a code have status 400.
        let confirmed = filter { $0.isIntact && ($0.original?.status ?? 500) <= 400 }
        return Set(map(\.route)).subtracting(confirmed.map(\.route))
    }
}

extension Error {
    /// Whether the error says that the same call may succeed later.
    fileprivate var mayBeRepeated: Bool {
        switch self {
        case let error as LatchkeyError: error.retry != .never
        case let error as PurchaseError: error.retry != .never
        default: false
        }
    }
}
