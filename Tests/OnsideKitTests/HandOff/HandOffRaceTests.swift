import Foundation
import Latchkey
import LatchkeyTestKit
import OnsideKit
import TestDatabases
import TestProcesses
import TestStore
import Testing

@testable import LatchkeyCore

@MainActor @Suite(.exclusiveOnside, .onEachDatabase) struct `Races of a hand-off` {
    /// The number of rounds on each database, which is higher with `scripts/check --deep`.
    private static let rounds = ProcessInfo.processInfo.environment["DEEP_TESTS"] == nil ? 8 : 200

    /// An event that competes with the answer of the store app.
    enum Rival: CaseIterable {
        case dismissal, expiry, phoneLogin, logout, secondProcess
    }

    @Test(arguments: Rival.allCases)
    func `An answer and another event at once have one result, which the device and the server share`(
        rival: Rival
    ) async throws {
        let scene = try await HandOffScene.closed()
        let process = try scene.anotherProcess()
        let seed = UInt64.random(in: 0...UInt64.max)
        var dice = SeededDice(seed: seed)
        var logins = 0
        for round in 1...Self.rounds {
            let place: Comment = "seed \(seed), round \(round)"
            // The server limits how often it sends codes and accepts requests.
            scene.server.time.advance(by: .seconds(3600))
            scene.requestLogin()
            await scene.isOpened(round)
            let genuine = try await scene.answer()
            let former = try await scene.server.liveSessions()
            let yields = (Int.random(in: 0...3000, using: &dice), Int.random(in: 0...3000, using: &dice))

            let answer = Task {
                for _ in 0..<yields.0 { await Task.yield() }
                scene.open(genuine)
            }
            let event = Task {
                for _ in 0..<yields.1 { await Task.yield() }
                try await perform(rival, in: scene, process, answer: genuine)
            }
            await answer.value
            try await event.value
            await eventually {
                if scene.results.count >= round { return true }
                // An expired login goes on with the form.
                if case .form? = try? scene.login.screen { return rival == .expiry }
                return false
            }
            if scene.results.count < round {
                #expect(try scene.login.handOffError != nil, place)
                try scene.login.dismiss()
            }
            let error = await scene.errors(round).last ?? nil
            try #require(scene.results.count == round, place)
            await scene.settle(process)
            try await scene.expectNoTrace()

            logins += error == nil ? 1 : 0
            let isLoggedIn = try scene.client.sessionState.session != nil
            // A dismissal can't undo a session that was stored just before, and a logout may come after the result.
            if rival != .dismissal { #expect(isLoggedIn == (error == nil && rival != .logout), place) }
            // A logout sends no request, so the session of a login that was completed before it remains.
            let isCreated = isLoggedIn || rival == .logout && error == nil
            let created = try await sessions(of: scene, until: former + (isCreated ? 1 : 0)) - former
            #expect(created == (isCreated ? 1 : 0) || rival == .logout && created == 1, place)
            #expect(isLoggedIn || error != nil || rival == .logout, place)
            if isLoggedIn {
                #expect(try await scene.client.checkSession().session != nil, place)
                #expect(try await process.checkSession().session != nil, place)
            }
            Onside.logout()
            await eventually { process.sessionState.session == nil }
        }
        print("Races with \(rival): \(logins) logins in \(Self.rounds) rounds, seed \(seed)")
        await scene.server.stop()
    }

    /// The number of live sessions, after those of logins that were given up have been revoked.
    private func sessions(of scene: HandOffScene, until expected: Int64) async throws -> Int64 {
        let start = ContinuousClock.now
        while true {
            let count = try await scene.server.liveSessions()
            if count == expected || ContinuousClock.now - start > .seconds(20) { return count }
            await scene.settle()
            await Task.yield()
        }
    }

    private func perform(
        _ rival: Rival,
        in scene: HandOffScene,
        _ process: LatchkeyClient,
        answer: String
    ) async throws {
        switch rival {
        case .dismissal: try scene.login.dismiss()
        case .expiry: scene.server.time.advance(by: .seconds(600))
        case .phoneLogin: try await scene.logInByPhone()
        case .logout: Onside.logout()
        case .secondProcess: _ = try await scene.open(answer, in: process)
        }
    }

    @Test func `The phone login wins, and the request is withdrawn`() async throws {
        let scene = try await HandOffScene.opened()
        let approval = try await scene.store.client.authorizationApproval(
            for: try #require(scene.store.opened.last)
        )

        try await scene.logInByPhone()

        #expect(await scene.errors() == [nil])
        await eventually { scene.requests(to: "/oauth2/revoke") == 1 }
        #expect(try await scene.server.openRequests() == 0)
        try await scene.expectNoTrace()
        do {
            _ = try await approval.approve()
            Issue.record("The request was approved.")
        } catch {
            #expect(error.code == .flowExpired)
        }
        await scene.server.stop()
    }

    @Test func `The answer wins while the code of the phone login is on its way`() async throws {
        let scene = try await HandOffScene.opened()
        let login = try scene.login
        await login.back()
        await scene.isFormShown()
        scene.server.time.advance(by: .seconds(61))
        await login.submit(FlowSubmission(method: "code", ["traits.phone": .string(StoreApp.phone)]))

        scene.open(try await scene.answer())

        #expect(await scene.errors() == [nil])
        try await scene.expectOneLogin()
        // The code of the phone login is of no use in the game now.
        await login.submit(FlowSubmission(method: "code", ["code": .string("123456")]))
        #expect(!login.isOpen)
        try await scene.expectOneLogin()
        await scene.server.stop()
    }
}
