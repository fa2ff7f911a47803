import Foundation
import LatchkeyServerKit
import TestDatabases
import TestProcesses
import Testing

/// Tests of a game, a store app and a server that are killed while a login is handed over.
@Suite(.serialized, .timeLimit(.minutes(60))) struct `Hand-offs that are killed` {
    /// The number of rounds on each database, which is 500 with `scripts/check --deep`.
    private static let rounds = ProcessInfo.processInfo.environment["DEEP_TESTS"] == nil ? 20 : 500

    /// The points at which the game is killed: at each request and at each write to its store.
    private static let points =
        (1...6).flatMap { ["beforeRequest:\($0)", "afterResponse:\($0)"] }
        + (1...5).flatMap { ["beforeWrite:\($0)", "afterWrite:\($0)"] }

    /// The points at which the store app is killed: as it reads the request, and as it approves it.
    private static let storePoints = (1...2).flatMap { ["beforeRequest:\($0)", "afterResponse:\($0)"] }

    @Test(arguments: TestDatabase.all)
    func
        `A game that is killed is logged in or logged out after its next start, and leaves no session behind`(
            database: TestDatabase
        ) async throws
    {
        try await BrowserProbe.with(database, handsOver: true) { probe async throws in
            let store = try await probe.storeApp()
            let seed = UInt64.random(in: 0...UInt64.max)
            var dice = SeededDice(seed: seed)
            var results: [String: Int] = [:]
            for round in 0..<Self.rounds {
                let point = Self.points.randomElement(using: &dice) ?? ""
                let place: Comment = "seed \(seed), round \(round), \(point)"
                let file = probe.folder + "/answer-\(round)"
                let game = try await probe.app.start("die:\(point)", "handoff:\(file)", "settle")
                // The game may be killed before it opens the store app.
                if let url = BrowserProbe.address(in: await game.output(until: "open probe-store")) {
                    let answer = try #require(try await probe.approval(of: url, in: store), place)
                    try answer.write(toFile: file, atomically: true, encoding: .utf8)
                }
                let outcome = await game.outcome()
                #expect(outcome.code == -SIGKILL, "\(place): \(outcome.text)")

                let next = try await probe.app.run("settle", "state", "redirect:\(file)", "settle", "state")
                let lines = next.output.split(separator: "\n")
                try #require(lines.count == 5, "\(place): \(next.text)")
                #expect(lines[0] == "settled" && ["in", "out"].contains(lines[1]), "\(place): \(next.text)")
                results["\(point) \(lines[1]) \(lines[4])", default: 0] += 1
                #expect(lines[3] == "settled" && (lines[1] == "out" || lines[4] == "in"), "\(place)")
                let end = try await probe.app.run("held", "logout", "settle", "state")
                #expect(end.output.hasSuffix("\nout\nsettled\nout\n"), "\(place): \(end.text)")
            }
            try await probe.expectLogin(in: store, "seed \(seed)")
            print(
                "Killed the game \(Self.rounds) times on \(database): \(results.sorted { $0.key < $1.key })"
            )
        } check: { database async throws in
            try await BrowserProbe.expectOneSession(in: database, withoutCodes: true)
        }
    }

    @Test(arguments: TestDatabase.all)
    func `A store app that is killed reads the request again, or the user logs in otherwise`(
        database: TestDatabase
    ) async throws {
        try await BrowserProbe.with(database, handsOver: true) { probe async throws in
            let store = try await probe.storeApp()
            for round in 0..<Self.rounds {
                let point = Self.storePoints[round % Self.storePoints.count]
                let place: Comment = "round \(round), \(point)"
                let file = probe.folder + "/answer-\(round)"
                let game = try await probe.app.start("handoff:\(file)", "settle")
                let url = try #require(
                    BrowserProbe.address(in: await game.output(until: "open probe-store")),
                    place
                )
                let killed = try await probe.approve(url, in: store, dying: point)
                #expect(killed.code == -SIGKILL, "\(place): \(killed.text)")

                // The answer is lost if the store app was killed after the server had stored it.
                let answer = try await probe.approval(of: url, in: store)
                #expect((answer == nil) == (point == "afterResponse:2"), place)
                try (answer ?? "dismiss").write(toFile: file, atomically: true, encoding: .utf8)
                let outcome = await game.outcome()
                let isIn = outcome.output.contains("\nin\n")
                #expect(outcome.code == 0 && isIn == (answer != nil), "\(place): \(outcome.text)")
                let end = try await probe.app.run("held", "logout", "settle", "state")
                #expect(end.output.hasSuffix("\nout\nsettled\nout\n"), "\(place): \(end.text)")
            }
            try await probe.expectLogin(in: store, "the last login")
        } check: { database async throws in
            try await BrowserProbe.expectOneSession(in: database, withoutCodes: true)
        }
    }

    @Test(arguments: TestDatabase.all)
    func `A server that is killed leaves the game logged in or logged out, and no session behind`(
        database: TestDatabase
    ) async throws {
        try await BrowserProbe.with(database, handsOver: true) { probe async throws in
            let store = try await probe.storeApp()
            let seed = UInt64.random(in: 0...UInt64.max)
            var dice = SeededDice(seed: seed)
            for round in 0..<Self.rounds {
                // The store app sends its requests between the second and the third one of the game.
                let number = Int.random(in: 1...8, using: &dice)
                let place: Comment = "seed \(seed), round \(round), request \(number)"
                let file = probe.folder + "/answer-\(round)"
                let ofGame = number <= 2 ? number : number - 2
                let game = try await probe.app.start(
                    number == 3 || number == 4 ? "held" : "report:beforeRequest:\(ofGame)",
                    "handoff:\(file)"
                )
                var answer: String?
                if number > 2,
                    let url = BrowserProbe.address(in: await game.output(until: "open probe-store"))
                {
                    if number <= 4 {
                        try await probe.approve(url, in: store, whenReporting: "beforeRequest:\(number - 2)")
                        {
                            try await probe.killServer(afterYields: Int.random(in: 0...5000, using: &dice))
                        }
                    }
                    answer = try await probe.approval(of: url, in: store)
                    try (answer ?? "dismiss").write(toFile: file, atomically: true, encoding: .utf8)
                }
                if number <= 2 || number > 4 {
                    _ = await game.output(until: "beforeRequest")
                    try await probe.killServer(afterYields: Int.random(in: 0...5000, using: &dice))
                    if number <= 2 { try "dismiss".write(toFile: file, atomically: true, encoding: .utf8) }
                }
                let outcome = await game.outcome()
                #expect(outcome.code == 0, "\(place): \(outcome.text)")

                let next = try await probe.app.run("settle", "state", "logout", "settle", "state")
                let lines = next.output.split(separator: "\n")
                try #require(lines.count == 5, "\(place): \(next.text)")
                #expect(["in", "out"].contains(lines[1]), "\(place): \(next.text)")
                #expect(lines[2...] == ["out", "settled", "out"], "\(place): \(next.text)")
            }
            try await probe.expectLogin(in: store, "seed \(seed)")
        } check: { database async throws in
            try await BrowserProbe.expectOneSession(in: database, withoutCodes: true)
        }
    }
}

extension BrowserProbe {
    /// Returns the store app, whose user is logged in.
    fileprivate func storeApp() async throws -> SessionProbe {
        let store = SessionProbe(server: serverURL, folder: folder + "/store")
        let login = try await store.run(login)
        try #require(login.output == "in\n", "\(login.text)")
        return store
    }

    private func write(_ url: String) throws -> String {
        let file = folder + "/request-\(UUID().uuidString)"
        try url.write(toFile: file, atomically: true, encoding: .utf8)
        return file
    }

    /// Approves a request.
    ///
    /// - Returns: The URL that leads back to the game, or `nil` if the request can't be approved anymore.
    fileprivate func approval(of url: String, in store: SessionProbe) async throws -> String? {
        let outcome = try await store.run("approve:" + write(url))
        let answer = outcome.output.split(separator: "\n").last { $0.hasPrefix(Self.redirectURI) }
        if answer == nil { #expect(outcome.output.contains("error flow"), "\(outcome.text)") }
        return answer.map { String($0) }
    }

    /// Approves a request in a store app that is killed.
    fileprivate func approve(
        _ url: String,
        in store: SessionProbe,
        dying point: String
    ) async throws -> ChildProcess.Outcome {
        try await store.run("die:" + point, "approve:" + write(url))
    }

    /// Approves a request in a store app, and calls a closure when that app sends a request.
    fileprivate func approve(
        _ url: String,
        in store: SessionProbe,
        whenReporting point: String,
        _ body: () async throws -> Void
    ) async throws {
        let process = try await store.start("report:" + point, "approve:" + write(url))
        _ = await process.output(until: "beforeRequest")
        try await body()
        _ = await process.outcome()
    }

    /// Checks that a login can be handed over, and that it leaves no pending login on the device.
    fileprivate func expectLogin(in store: SessionProbe, _ comment: Comment) async throws {
        let file = folder + "/answer-last"
        let game = try await app.start("handoff:\(file)", "settle", "side")
        if let url = Self.address(in: await game.output(until: "open probe-store")) {
            let answer = try #require(try await approval(of: url, in: store), comment)
            try answer.write(toFile: file, atomically: true, encoding: .utf8)
        }
        let outcome = await game.outcome()
        #expect(outcome.output.contains("\nin\nsettled\n"), "\(comment): \(outcome.text)")
        // Logins that were killed while the store app was open have expired now.
        let late = try await lateApp.run("settle", "side")
        #expect(late.output == "settled\nnone\n", "\(comment): \(late.text)")
    }
}
