import LatchkeyAccounts
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

/// Replays the recorded exchanges with Ory Kratos against this server, using the same schema.
@Suite(.onEachDatabase) struct `Recorded Ory Kratos exchanges` {
    @Test(arguments: RecordedSetup.all)
    func `Responses have the recorded statuses, members, types, ids and fixed values`(setup: RecordedSetup)
        async throws
    {
        let server = try await TestServer(configuration: setup.configuration)
        let exchanges = try RecordedExchange.load(setup.name)
        var replay = try await Replay(setup, on: server)
        var unseen = AcceptedDifference.all.map { $0.steps[setup.name] ?? [] }

        for (step, exchange) in exchanges.enumerated() {
            let place = "\(setup.name) #\(step): \(exchange.request.method) \(exchange.request.path)"
            let ours = try await replay.send(exchange.request, step: step)

            #expect(ours.status == exchange.answer.status, "\(place)")
            for (field, value) in exchange.answer.headers {
                expect(ours.headers[field], field, value, &replay.names, place)
            }
            let body = ours.body.isEmpty ? JSONValue.string("") : try JSONCoding.decode(from: ours.body)
            let comparison = StructuralComparison(
                ours: body,
                recorded: exchange.answer.body,
                &replay.names
            )
            for difference in comparison.differences {
                let rows = AcceptedDifference.all.indices.filter {
                    AcceptedDifference.all[$0].covers(difference, setup.name, step: step)
                }
                #expect(!rows.isEmpty, "\(place) \(difference)")
                for row in rows { unseen[row].remove(step) }
            }
        }
        for (row, steps) in zip(AcceptedDifference.all, unseen) where !steps.isEmpty {
            Issue.record("\(setup.name) \(steps.sorted()) lack an accepted difference: \(row.reason)")
        }
        await server.stop()
    }

    @Test(arguments: [
        (#"{"state": "choose_method"}"#, #"{"state": "sent_email"}"#),
        (
            #"{"ui": {"messages": [{"id": 4000006, "text": "a"}]}}"#,
            #"{"ui": {"messages": [{"id": 4000007, "text": "b"}]}}"#
        ),
        (#"{"nodes": []}"#, #"{"nodes": [{"group": "default"}]}"#),
        (#"{"nodes": [{"group": "code"}]}"#, #"{"nodes": [{"group": "default"}]}"#),
        (
            #"{"nodes": [{"group": "code"}]}"#,
            #"{"nodes": [{"group": "code"}, {"group": "code"}]}"#
        ),
        (#"{"refresh": false}"#, #"{"refresh": "false"}"#),
        (#"{"a": 1}"#, #"{"a": 1, "organization_id": null}"#),
        (#"{"a": 1, "extra": 1}"#, #"{"a": 1}"#),
        (#"{"error": {"id": "session_inactive"}}"#, #"{"error": {"id": "session_already_available"}}"#),
        (
            #"{"continue_with": [{"action": "a"}, {"action": "b"}]}"#,
            #"{"continue_with": [{"action": "b"}, {"action": "a"}]}"#
        ),
        (
            #"{"a": {"id": "11111111-1111-4111-8111-111111111111"}, "b": {"id": "11111111-1111-4111-8111-111111111111"}}"#,
            #"{"a": {"id": "22222222-2222-4222-8222-222222222222"}, "b": {"id": "33333333-3333-4333-8333-333333333333"}}"#
        ),
        (
            #"{"a": {"id": "22222222-2222-4222-8222-222222222222"}, "b": {"id": "33333333-3333-4333-8333-333333333333"}}"#,
            #"{"a": {"id": "11111111-1111-4111-8111-111111111111"}, "b": {"id": "11111111-1111-4111-8111-111111111111"}}"#
        ),
        (#"{"action": "/login?flow="}"#, #"{"action": "/login?flow=11111111-1111-4111-8111-111111111111"}"#),
    ])
    func `The comparison detects responses that are different`(ours: String, recorded: String) throws {
        var names = Correspondence()
        let comparison = StructuralComparison(
            ours: try JSONCoding.decode(from: Array(ours.utf8)),
            recorded: try JSONCoding.decode(from: Array(recorded.utf8)),
            &names
        )

        #expect(!comparison.differences.isEmpty)
    }

    @Test func `The comparison ignores ids, texts, and the order of fields and addresses`() throws {
        var names = Correspondence()
        let comparison = StructuralComparison(
            ours: try JSONCoding.decode(
                from: Array(
                    """
                    {"id": "11111111-1111-4111-8111-111111111111", "text": "a",
                     "nodes": [{"group": "code"}, {"group": "default"}],
                     "verifiable_addresses": [{"value": "a"}, {"value": "b"}]}
                    """.utf8
                )
            ),
            recorded: try JSONCoding.decode(
                from: Array(
                    """
                    {"id": "22222222-2222-4222-8222-222222222222", "text": "b",
                     "nodes": [{"group": "default"}, {"group": "code"}],
                     "verifiable_addresses": [{"value": "b"}, {"value": "a"}]}
                    """.utf8
                )
            ),
            &names
        )

        #expect(comparison.differences == [])
        #expect(
            names.translate("/login?flow=22222222-2222-4222-8222-222222222222")
                == "/login?flow=11111111-1111-4111-8111-111111111111"
        )
    }

    private func expect(
        _ ours: String?,
        _ field: String,
        _ recorded: String,
        _ names: inout Correspondence,
        _ place: String
    ) {
        switch field {
        case "X-Kratos-Authenticated-Identity-Id":
            let agrees = names.learn(ours: ours ?? "", recorded: recorded)
            #expect(agrees, "\(place) \(field)")
        case "Link":
            // Page URLs and page tokens are different on each server.
            #expect(ours?.contains("rel=\"first\"") == true, "\(place) \(field)")
        default:
            #expect(ours == recorded, "\(place) \(field)")
        }
    }
}
