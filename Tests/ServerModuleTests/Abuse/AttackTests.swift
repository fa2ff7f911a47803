import Foundation
import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import TestProcesses
import Testing

/// The effects on honest users of an attack by forty networks, ten of which are in one block.
@Suite(.onEachDatabase, .timeLimit(.minutes(10))) struct `Users during an attack` {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The networks of ten honest users, from whose blocks numbers were proven some days ago.
    private static let homes = (0..<10).map { "172.\(16 + $0).0.1" }

    private func server(_ change: (inout ServerConfiguration) -> Void = { _ in }) async throws
        -> AttackedServer
    {
        let attacked = try await AttackedServer(change)
        for (number, home) in Self.homes.enumerated() {
            #expect(try await attacked.signUpByText(from: home) == [201, 200])
            #expect(try await attacked.register(1000 + number, from: home) == 200)
        }
        try await attacked.server.confirmAll()
        await attacked.server.messagesAreSent()
        attacked.server.time.advance(by: .seconds(3 * 86_400))
        return attacked
    }

    @Test func `Users on networks of their own get in at the first try`() async throws {
        // PostgreSQL takes longer, so a part of the attack must do in ordinary runs.
        let isWhole =
            TestDatabase.current == .sqlite || ProcessInfo.processInfo.environment["DEEP_TESTS"] != nil
        let (rounds, usersPerRound) = isWhole ? (12, 1) : (2, 5)
        let attackers = AttackedServer.attackers.prefix(isWhole ? 40 : 12)
        let attacked = try await server()
        var haul = AttackedServer.Haul()
        var users = Self.homes.indices[...]
        for round in 0..<rounds {
            try await attacked.attack(from: attackers, for: &haul)
            for _ in 0..<usersPerRound {
                guard let user = users.popFirst() else { break }
                let home = Self.homes[user]
                #expect(try await attacked.signUpByText(from: home) == [201, 200], "text in round \(round)")
                #expect(
                    try await attacked.logInByMail(1000 + user, from: "172.\(40 + user).0.1") == [200, 200],
                    "mail in round \(round)"
                )
                let login = try await attacked.server.login("person\(1000 + user)@example.org", from: home)
                #expect(login.status == 200, "password in round \(round)")
            }
            await attacked.server.messagesAreSent()
            attacked.server.time.advance(by: .seconds(300))
        }
        #expect(users.isEmpty)
        // The bucket of a network gives 30 codes at once and one every two minutes.
        let mostCodes = haul.codes.values.max() ?? 0
        #expect(mostCodes <= 30 + rounds * 5 / 2, "codes of one network: \(mostCodes)")
        // A block gets a tenth of the messages, and all new blocks together get a quarter.
        let block = AttackedServer.attackers.prefix(10).reduce(0) { $0 + haul.texts[$1, default: 0] }
        #expect(block <= 100 && (block >= 50 || !isWhole), "texts of one block: \(block)")
        let all = haul.texts.values.reduce(0, +)
        #expect(all <= 250 && (all >= 200 || !isWhole), "texts of all attackers: \(all)")
    }

    @Test func `A calling code without sign-ups gets few messages`() async throws {
        let attacked = try await server { $0.courier.callingCodes = [] }
        var haul = AttackedServer.Haul()
        try await attacked.attack(from: AttackedServer.attackers.suffix(4), for: &haul, callingCode: "47")
        #expect(haul.texts.values.reduce(0, +) == 15, "texts to one calling code")
        for home in Self.homes.prefix(5) {
            #expect(try await attacked.signUpByText(from: home) == [201, 200])
        }
    }

    @Test func `Users behind an attacker's address get in some minutes after a burst`() async throws {
        let attacked = try await server()
        let shared = Self.homes[0]
        for _ in 0..<30 { #expect(try await attacked.mail(from: shared)) }
        let start = attacked.server.time.now
        // The users ask one after the other, each as soon as the server has told them to.
        for user in 1...10 {
            var announced = 0
            while true {
                let (_, answer) = try await attacked.text(attacked.newPhone(), from: shared)
                if answer.status == 201 { break }
                try #require(answer.status == 429)
                #expect(announced == 0, "user \(user) has to wait again")
                announced = try #require(answer.response.headers["Retry-After"].flatMap { Int($0) })
                #expect(announced <= 120)
                await attacked.server.messagesAreSent()
                attacked.server.time.advance(by: .seconds(announced))
            }
            await attacked.server.messagesAreSent()
        }
        #expect(attacked.server.time.now - start <= .seconds(20 * 60))
    }

    /// How a neighbor of an attacker tries to get in.
    private enum Way: String, CaseIterable {
        case text = "code by text message"
        case mail = "code by email"
        case registration = "registration with a password and an email"
        case known = "code on a known network of the account"
        case elsewhere = "any of these on another network"
    }

    /// Returns how many minutes a neighbor of a lasting attack waits.
    ///
    /// The attacker asks as soon as the network may ask again, with a number of requests at once. The
    /// neighbor asks at that time, too, and the order is random.
    private func wait(
        _ way: Way,
        _ trial: Int,
        against requests: Int,
        on attacked: AttackedServer,
        random: inout SeededDice
    ) async throws -> Int {
        let shared = Self.homes[1]
        let start = attacked.server.time.now
        while true {
            let place = Int(random.next() % UInt64(requests + 1))
            for _ in 0..<place { _ = try await attacked.mail(from: shared) }
            let isIn =
                switch way {
                case .text: try await attacked.text(attacked.newPhone(), from: shared).answer.status == 201
                case .mail: try await attacked.mail(from: shared)
                case .registration: try await attacked.register(attacked.next(), from: shared) == 200
                case .known:
                    try await attacked.server.sendCode(
                        .login,
                        await attacked.server.begin(.login),
                        to: "person1001@example.org",
                        from: shared
                    )["state"] == "sent_email"
                case .elsewhere: try await attacked.mail(from: "172.31.\(trial).1")
                }
            if isIn { return Int((attacked.server.time.now - start) / .seconds(60)) }
            for _ in place..<requests { _ = try await attacked.mail(from: shared) }
            await attacked.server.messagesAreSent()
            attacked.server.time.advance(by: .seconds(120))
        }
    }

    @Test(arguments: [1, 4])
    func `The documentation says how long the neighbors of an attacker wait`(requests: Int) async throws {
        let attacked = try await server()
        let shared = Self.homes[1]
        while try await attacked.mail(from: shared) {}
        var random = SeededDice(seed: 7)
        var table: [String] = []
        for way in Way.allCases {
            var waits: [Int] = []
            for trial in 0..<(way == .known ? 3 : 21) {
                waits.append(
                    try await wait(way, trial, against: requests, on: attacked, random: &random)
                )
                await attacked.server.messagesAreSent()
                attacked.server.time.advance(by: .seconds(120))
                while try await attacked.mail(from: shared) {}
            }
            waits.sort()
            table.append(
                "| \(way.rawValue) | \(requests) | \(waits[waits.count / 2]) min | \(waits[waits.count - 1]) min |"
            )
            if [.registration, .known, .elsewhere].contains(way) {
                #expect(waits.allSatisfy { $0 == 0 }, "\(way)")
            }
        }
        print(table.joined(separator: "\n"))
        let page = try String(
            contentsOf: Self.root.appending(path: "Documentation/limits.md"),
            encoding: .utf8
        )
        for row in table { #expect(page.contains(row), "missing in Documentation/limits.md: \(row)") }
    }
}
