import Foundation
import LatchkeyServerKit
import TestDatabases
import TestProcesses
import Testing

/// Tests of an app and a server that are killed during a login in a browser.
@Suite(.serialized, .timeLimit(.minutes(60))) struct `Logins in a browser that are killed` {
    /// The number of rounds on each database, which is 500 with `scripts/check --deep`.
    private static let rounds = ProcessInfo.processInfo.environment["DEEP_TESTS"] == nil ? 20 : 500

    /// The points at which the app is killed: at each request and at each write to its store.
    private static let points =
        (1...6).flatMap { ["beforeRequest:\($0)", "afterResponse:\($0)"] }
        + (1...5).flatMap { ["beforeWrite:\($0)", "afterWrite:\($0)"] }

    @Test(arguments: TestDatabase.all)
    func
        `An app that is killed is logged in or logged out after its next start, and leaves no session behind`(
            database: TestDatabase
        ) async throws
    {
        try await BrowserProbe.with(database) { probe async throws in
            let seed = UInt64.random(in: 0...UInt64.max)
            var dice = SeededDice(seed: seed)
            var results: [String: Int] = [:]
            for round in 0..<Self.rounds {
                // The points in an order that differs between runs, so that each is hit in a few runs.
                let point = Self.points.randomElement(using: &dice) ?? ""
                let place: Comment = "seed \(seed), round \(round), \(point)"
                let file = probe.folder + "/redirect-\(round)"
                let app = try await probe.app.start("die:\(point)", "browser:\(file)", "settle")
                // The app may be killed before it opens the browser.
                if let address = BrowserProbe.address(in: await app.output(until: "open http")) {
                    try await probe.visit(address).write(toFile: file, atomically: true, encoding: .utf8)
                }
                let outcome = await app.outcome()
                #expect(outcome.code == -SIGKILL, "\(place): \(outcome.text)")

                let next = try await probe.app.run("settle", "state", "redirect:\(file)", "settle", "state")
                let lines = next.output.split(separator: "\n")
                try #require(lines.count == 5, "\(place): \(next.text)")
                #expect(lines[0] == "settled" && ["in", "out"].contains(lines[1]), "\(place): \(next.text)")
                results["\(point) \(lines[1])", default: 0] += 1
                // The redirect has no second effect.
                #expect(lines[3] == "settled" && (lines[1] == "out" || lines[4] == "in"), "\(place)")
                let end = try await probe.app.run("held", "logout", "settle", "state")
                #expect(end.output.hasSuffix("\nout\nsettled\nout\n"), "\(place): \(end.text)")
            }
            let last = try await probe.logIn("last")
            #expect(last.output.hasSuffix("in\n"), "seed \(seed): \(last.text)")
            print("Killed the app \(Self.rounds) times on \(database): \(results.sorted { $0.key < $1.key })")
        } check: { database async throws in
            try await BrowserProbe.expectOneSession(in: database)
        }
    }

    @Test(arguments: TestDatabase.all)
    func `A server that is killed leaves the app logged in or logged out, and no session behind`(
        database: TestDatabase
    ) async throws {
        try await BrowserProbe.with(database) { probe async throws in
            let seed = UInt64.random(in: 0...UInt64.max)
            var dice = SeededDice(seed: seed)
            for round in 0..<Self.rounds {
                let number = Int.random(in: 1...6, using: &dice)
                let place: Comment = "seed \(seed), round \(round), request \(number)"
                let file = probe.folder + "/redirect-\(round)"
                let app = try await probe.app.start("report:beforeRequest:\(number)", "browser:\(file)")
                // The browser opens after the second request.
                if number > 2, let address = BrowserProbe.address(in: await app.output(until: "open http")) {
                    try await probe.visit(address).write(toFile: file, atomically: true, encoding: .utf8)
                }
                _ = await app.output(until: "beforeRequest")
                try await probe.killServer(afterYields: Int.random(in: 0...5000, using: &dice))
                try "com.example.probe:/other".write(toFile: file, atomically: true, encoding: .utf8)
                let outcome = await app.outcome()
                #expect(outcome.code == 0, "\(place): \(outcome.text)")

                let next = try await probe.app.run("settle", "state", "logout", "settle", "state")
                let lines = next.output.split(separator: "\n")
                try #require(lines.count == 5, "\(place): \(next.text)")
                #expect(["in", "out"].contains(lines[1]), "\(place): \(next.text)")
                #expect(lines[2...] == ["out", "settled", "out"], "\(place): \(next.text)")
            }
            let last = try await probe.logIn("last")
            #expect(last.output.hasSuffix("in\n"), "seed \(seed): \(last.text)")
        } check: { database async throws in
            try await BrowserProbe.expectOneSession(in: database)
        }
    }
}
