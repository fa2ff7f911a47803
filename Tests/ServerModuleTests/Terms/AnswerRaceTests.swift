import Foundation
import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeySelfService

/// Two requests at once, after which the account's row must agree with its evidence.
@Suite(.onEachDatabase) struct `Answers at the same time` {
    private static let rounds = ProcessInfo.processInfo.environment["DEEP_TESTS"] == nil ? 15 : 1_000

    private let terms: TermsServer

    init() async throws {
        terms = try await TermsServer()
    }

    /// Publishes the first version of a document with its own key, so that each round has a new one.
    private func publish(_ round: Int, _ version: Int = 1) async throws {
        try await terms.publish(version, document: ["key": #""doc-\#(round)""#])
    }

    private func answer(
        _ token: String,
        _ kind: String = "acceptance",
        _ version: Int = 1,
        in round: Int
    ) async throws -> Int {
        try await terms.answer(token, kind, version, ["document": .string("doc-\(round)")]).status
    }

    /// Runs two closures at once.
    private func both<First: Sendable, Second: Sendable>(
        _ first: @escaping @Sendable () async throws -> First,
        _ second: @escaping @Sendable () async throws -> Second
    ) async throws -> (First, Second) {
        async let one = first()
        async let two = second()
        return try await (one, two)
    }

    /// Checks that the duty is fulfilled exactly if the latest row about the required version accepts it.
    ///
    /// Returns the answers to the document of a round.
    @discardableResult
    private func check(_ user: TermsServer.User, in round: Int) async throws -> [String] {
        let key = "doc-\(round)"
        let (document, column) = try await terms.database.transaction { transaction in
            (
                try TermsRepository.all(in: transaction).first { $0.key == key },
                try AgreementRepository.find(of: user.id, in: transaction)
            )
        }
        let now = terms.server.time.now
        let (found, agreements) = (try #require(document), try #require(column))
        let rows = try await TermsEvidenceRepository.all(of: user.id, in: terms.database)
        let required = try #require(found.required(at: now)).number
        let latest = rows.last { $0.answer.document == key && $0.answer.version == required }
        #expect(found.isOpen(for: agreements, at: now) == (latest?.answer.kind != .acceptance), "\(rows)")
        #expect(rows.map(\.number) == Array(1..<rows.count + 1))
        return rows.filter { $0.answer.document == key }.map { "\($0.answer.kind) \($0.answer.version)" }
    }

    @Test func `Two devices that accept at once store one row`() async throws {
        let user = try await terms.register()
        let other = try await terms.logIn()
        for round in 1...Self.rounds {
            try await publish(round)
            let statuses = try await both {
                try await answer(user.token, in: round)
            } _: {
                try await answer(other, in: round)
            }
            #expect(statuses == (200, 200))
            #expect(try await check(user, in: round) == ["acceptance 1"])
        }
    }

    @Test func `A version that is published during an acceptance is asked for`() async throws {
        let user = try await terms.register()
        for round in 1...Self.rounds {
            try await publish(round)
            let (status, _) = try await both {
                try await answer(user.token, in: round)
            } _: {
                try await publish(round, 2)
            }
            #expect(status == 200)
            #expect(try await check(user, in: round) == ["acceptance 1"])
            #expect(try await answer(user.token, "acceptance", 2, in: round) == 200)
            #expect(try await check(user, in: round) == ["acceptance 1", "acceptance 2"])
        }
    }

    @Test func `An acceptance of an earlier version doesn't undo one of the required version`() async throws {
        let user = try await terms.register()
        let other = try await terms.logIn()
        for round in 1...Self.rounds {
            try await publish(round)
            try await publish(round, 2)
            let statuses = try await both {
                try await answer(user.token, "acceptance", 1, in: round)
            } _: {
                try await answer(other, "acceptance", 2, in: round)
            }
            #expect(statuses == (200, 200))
            #expect(Set(try await check(user, in: round)) == ["acceptance 1", "acceptance 2"])
        }
    }

    @Test func `The last of an acceptance and a refusal counts`() async throws {
        let user = try await terms.register()
        for round in 1...Self.rounds {
            try await publish(round)
            let refusing = try await terms.logIn()
            let statuses = try await both {
                try await answer(user.token, in: round)
            } _: {
                try await answer(refusing, "refusal", in: round)
            }
            #expect(statuses == (200, 200))
            #expect(Set(try await check(user, in: round)) == ["acceptance 1", "refusal 1"])
            #expect(await !terms.server.isAlive(refusing))
        }
        #expect(await terms.server.isAlive(user.token))
    }

    @Test func `An account that is erased during an answer leaves no open row`() async throws {
        try await publish(0)
        for round in 1...Self.rounds {
            let user = try await terms.register(round)
            let (status, erased) = try await both {
                try await answer(user.token, in: 0)
            } _: {
                await terms.admin.send(.delete, "/admin/identities/\(user.id)").status
            }
            #expect(erased == 204 && [200, 401].contains(status), "\(status)")
            #expect(try await terms.rows(of: user) == [])
            let closed = try await terms.database.rows(
                "SELECT identity_hash FROM terms_evidence WHERE identity_id = $1",
                .identifier(user.id)
            )
            #expect(closed.count == (status == 200 ? 1 : 0))
            #expect(closed.allSatisfy { (try? $0.text(0).isEmpty) == false })
        }
    }
}
