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
        let failure = await bystander.intermediary.outcome { () -> (any Error)? in
            do {
                try await call()
                return nil
            } catch {
                return error
            }
        }
        bystander.intermediary.interfere(nil)
        return Outcome(bystander: bystander, error: failure)
    }

    @Test(arguments: Operation.all)
    func `A disturbed response is neither a success nor a rejection`(_ operation: Operation) async throws {
        let server = try await TestServer.withStore()
        let clean = try await Self.perform(operation, on: server, number: 0, behind: nil)
        #expect(clean.error == nil)
        let requests = clean.bystander.intermediary.exchanges.count
        #expect(requests > 0)

        var number = 0
        for count in 0..<requests {
            let sample = Interference.sample(of: operation.testDescription, at: count)
            for interference in sample where !operation.accepts(interference) {
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
                    let routes = outcome.bystander.intermediary.exchanges.unconfirmedRoutes
                    for route in routes where !operation.isBackground(route) {
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
