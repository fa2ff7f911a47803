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

    /// PostgreSQL takes longer, so a part of the attack must do in ordinary runs.
    private static var isWhole: Bool {
        TestDatabase.current == .sqlite || ProcessInfo.processInfo.environment["DEEP_TESTS"] != nil
    }

    /// Attacks the server for some rounds of five minutes, in which honest users sign up and log in.
    ///
    /// - Returns: The users who didn't get in at the first try, and the limits that the attackers exceeded.
    private func damage(
        by attackers: some Collection<String>,
        rounds: Int,
        usersPerRound: Int,
        on attacked: AttackedServer
    ) async throws -> [String] {
        var damage: [String] = []
        var haul = AttackedServer.Haul()
        var users = Self.homes.indices[...]
        for round in 0..<rounds {
            try await attacked.attack(from: attackers, for: &haul)
            for user in users.prefix(usersPerRound) {
                let home = Self.homes[user]
                if try await attacked.signUpByText(from: home) != [201, 200] {
                    damage.append("no text in round \(round)")
                }
                if try await attacked.logInByMail(1000 + user, from: "172.\(40 + user).0.1") != [200, 200] {
                    damage.append("no mail in round \(round)")
                }
                let login = try await attacked.server.login("person\(1000 + user)@example.org", from: home)
                if login.status != 200 { damage.append("no login in round \(round)") }
            }
            users = users.dropFirst(usersPerRound)
            await attacked.server.messagesAreSent()
            attacked.server.time.advance(by: .seconds(300))
        }
        // The bucket of a network gives 30 codes at once and one every two minutes.
        let mostCodes = haul.codes.values.max() ?? 0
        if mostCodes > 30 + rounds * 5 / 2 { damage.append("\(mostCodes) codes for one network") }
        // A block gets a tenth of the messages, and all new blocks together get a quarter.
        let block = AttackedServer.attackers.prefix(10).reduce(0) { $0 + haul.texts[$1, default: 0] }
        if block > 100 { damage.append("\(block) texts for one block") }
        let all = haul.texts.values.reduce(0, +)
        if all > 250 { damage.append("\(all) texts for new blocks") }
        // The whole attack must be strong enough to reach the limits.
        #expect(attackers.count < 40 || (block >= 50 && all >= 200), "texts: \(block), \(all)")
        return damage
    }

    @Test func `Users on networks of their own get in at the first try`() async throws {
        let attacked = try await server()
        let damage = try await damage(
            by: AttackedServer.attackers.prefix(Self.isWhole ? 40 : 12),
            rounds: Self.isWhole ? 12 : 2,
            usersPerRound: Self.isWhole ? 1 : 5,
            on: attacked
        )
        #expect(damage == [])
    }

    /// The texts that some attackers have had sent to a calling code that no user has proven a number of.
    private func textsAbroad(for hosts: some Sequence<String>, on attacked: AttackedServer) async throws
        -> Int
    {
        var haul = AttackedServer.Haul()
        try await attacked.attack(from: hosts, for: &haul, callingCode: "47")
        return haul.texts.values.reduce(0, +)
    }

    @Test func `A calling code without sign-ups gets few messages, and one block half of them`() async throws
    {
        let attacked = try await server { $0.courier.callingCodes = [] }
        #expect(try await textsAbroad(for: AttackedServer.attackers.prefix(2), on: attacked) == 7)
        #expect(try await textsAbroad(for: AttackedServer.attackers.suffix(4), on: attacked) == 8)
        for home in Self.homes.prefix(5) {
            #expect(try await attacked.signUpByText(from: home) == [201, 200])
        }
    }

    /// A limit of this attack, and what the attack achieves without it.
    private enum Protection: String, CaseIterable {
        case bucket = "codes for one network"
        case block = "texts for one block"
        case newBlocks = "texts for new blocks"

        /// The smallest attack that reaches the limit.
        var attackers: ArraySlice<String> {
            switch self {
            case .bucket: AttackedServer.attackers.prefix(1)
            case .block: AttackedServer.attackers.prefix(10)
            case .newBlocks: AttackedServer.attackers.suffix(20)
            }
        }

        func remove(from limits: inout LimitSettings) {
            switch self {
            case .bucket: limits.codesPerAddress = nil
            case .block: limits.blockShare = 100
            case .newBlocks: limits.provenBlockShare = 0
            }
        }
    }

    @Test(arguments: Protection.allCases)
    private func `Without any of these limits, the attack has an effect`(_ limit: Protection) async throws {
        let attacked = try await server { limit.remove(from: &$0.limits) }
        let damage = try await damage(
            by: limit.attackers,
            rounds: 1,
            usersPerRound: 0,
            on: attacked
        )
        #expect(damage.count == 1 && damage.allSatisfy { $0.hasSuffix(limit.rawValue) }, "\(damage)")
    }

    @Test func `Without the limits of a calling code, the attack has an effect`() async throws {
        let shared = try await server {
            $0.courier.callingCodes = []
            $0.limits.blockShareOfCallingCode = 100
        }
        #expect(try await textsAbroad(for: AttackedServer.attackers.prefix(2), on: shared) == 15)
        let open = try await server {
            $0.courier.callingCodes = []
            $0.limits.textsPerCallingCode = []
        }
        #expect(try await textsAbroad(for: AttackedServer.attackers.suffix(4), on: open) > 15)
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
