import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

/// The table of address ownership, in every combination of states, flows, networks and people.
///
/// The cases are generated. Each one says which row of the table applies, and each row says what must happen.
@Suite("Address ownership in every combination", .onEachDatabase)
struct OwnershipMatrixTests {
    /// A flow in which a user can prove or claim an address.
    enum Act: String, CaseIterable, Sendable {
        case sessionVerification, ownVerification, reauthentication, unboundVerification, login, recovery
        case signUpWithCode, signUpWithPassword, signUpWithVerifiedPhone, profileChange
    }

    enum Row: String, Sendable {
        case one = "1"
        case two = "2"
        case twoB = "2b"
        case three = "3"
        case four = "4"
        case five = "5"
        case six = "6"
        case seven = "7"
        case eight = "8"
        case eightB = "8b"
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let via: Message.Channel
        let standing: AddressOwnership.Standing
        let act: Act
        /// Whether the requests come from a network that the account's user has logged in from.
        let isNearby: Bool
        /// Whether the person who acts receives the messages to the address.
        let isOwner: Bool

        var row: Row {
            switch act {
            case .sessionVerification, .ownVerification, .reauthentication: .one
            case .unboundVerification: standing.isConfirmed || standing.hasOtherProven ? .twoB : .two
            case .login, .recovery:
                switch (standing.isConfirmed, standing.isProven, standing.hasOtherProven) {
                case (true, true, _): .three
                case (true, false, _), (false, false, true): .five
                case (false, true, _), (false, false, false): .four
                }
            case .signUpWithCode, .signUpWithVerifiedPhone: standing.isProven ? .seven : .six
            case .signUpWithPassword, .profileChange: standing.isProven ? .eight : .eightB
            }
        }

        var testDescription: String {
            let states = [
                standing.isConfirmed ? "confirmed" : "unconfirmed", standing.isProven ? "proven" : "claimed",
                standing.hasOtherProven ? "other proven" : "no other",
            ]
            return
                "row \(row.rawValue): \(act.rawValue) with \(via.rawValue), \(states.joined(separator: ", ")), "
                + "\(isNearby ? "known" : "other") network, \(isOwner ? "owner" : "attacker")"
        }

        static let all: [Case] = [Message.Channel.email, .sms].flatMap { via in
            Act.allCases.filter { act in
                switch act {
                case .recovery: via == .email
                case .signUpWithVerifiedPhone: via == .sms
                default: true
                }
            }.flatMap { act in
                (0..<32).map { bits in
                    Case(
                        via: via,
                        standing: AddressOwnership.Standing(
                            isConfirmed: bits & 1 != 0,
                            isProven: bits & 2 != 0,
                            hasOtherProven: bits & 4 != 0
                        ),
                        act: act,
                        isNearby: bits & 8 != 0,
                        isOwner: bits & 16 != 0
                    )
                }
            }
        }
    }

    /// The access that a person has gained.
    enum Access: Sendable {
        case none, account, newAccount, ownAccount
    }

    /// The effect on the account that had the address, and the access of the person who acted.
    struct Effect: Equatable, Sendable {
        var access = Access.none
        var isRefused = false
        var isProven: Bool
        var isConfirmed: Bool
        var hasOtherProven: Bool
        var hasAddress = true
        var isSessionAlive = true
        var isPasswordValid = true
        var isReclaimed = false
        var isNetworkKnown = true

        init(unchanged standing: AddressOwnership.Standing) {
            isProven = standing.isProven
            isConfirmed = standing.isConfirmed
            hasOtherProven = standing.hasOtherProven
        }

        /// The effect that the table demands.
        init(of item: Case) {
            self.init(unchanged: item.standing)
            guard item.isOwner else {
                isRefused = true
                return
            }
            switch item.row {
            case .one:
                if !item.standing.isConfirmed { hasOtherProven = false }
                (isProven, isConfirmed) = (true, true)
                access = item.act == .reauthentication ? .account : .none
            case .two: isProven = true
            case .twoB: break
            case .three:
                access = .account
                if item.act == .recovery { (isSessionAlive, isNetworkKnown) = (false, item.isNearby) }
            case .four:
                (isProven, isConfirmed, isReclaimed, hasOtherProven) = (true, true, true, false)
                (isSessionAlive, isPasswordValid, isNetworkKnown) = (false, false, item.isNearby)
                access = .account
            case .five, .seven, .eight: isRefused = true
            case .six, .eightB:
                (isProven, hasAddress) = (false, false)
                access = item.act == .profileChange ? .ownAccount : .newAccount
            }
        }
    }

    @Test("The table decides what happens to the account", arguments: Case.all)
    func effect(_ item: Case) async throws {
        let world = try await World(item)
        let answer = try await world.act()
        let expected = Effect(of: item)
        #expect(try await world.effect(after: answer) == expected, "\(answer.status) \(answer.body)")
        if item.isOwner { #expect(answer.messages == Self.messages(of: item), "\(answer.body)") }
        #expect(world.server.reported.withLock { $0 } == [])
    }

    /// The messages that the owner of the address sees at the end.
    private static func messages(of item: Case) -> [MessageID] {
        switch item.row {
        case .one where item.act == .reauthentication: []
        case .one, .two, .twoB: [item.via == .email ? .emailVerified : .phoneVerified]
        case .three, .four, .six: []
        case .five: [.addressNotVerified]
        case .seven, .eight: [.duplicateIdentifier]
        case .eightB where item.act == .profileChange: [item.via == .email ? .emailVerified : .phoneVerified]
        case .eightB: []
        }
    }
}

/// A server with an account that has the address, and the person who acts.
private struct World {
    typealias Case = OwnershipMatrixTests.Case

    let item: Case
    let claimed: ClaimedAccount
    let other: SelfServiceServer.Client
    let networks: [[UInt8]]

    var server: SelfServiceServer { claimed.server }
    private var address: String { item.via == .email ? ClaimedAccount.mail : ClaimedAccount.phone }
    private var otherAddress: String { item.via == .email ? ClaimedAccount.phone : ClaimedAccount.mail }
    private var host: String { item.isNearby ? "192.0.2.1" : "203.0.113.9" }

    /// The traits of the person who acts, whose other address is new.
    private var traits: JSONValue {
        item.via == .email
            ? .object(["email": .string(address), "phone": "+46709000002"])
            : .object(["email": "new@example.org", "phone": .string(address)])
    }

    init(_ item: Case) async throws {
        self.item = item
        claimed = try await ClaimedAccount { $0.limits = .unlimited }
        other = try await claimed.server.client(7)
        let (account, now) = (claimed.account, claimed.server.time.now)
        var proven: [ContactAddress] = []
        if item.standing.isProven { proven.append(item.via == .email ? .ownersMail : .attackersPhone) }
        if item.standing.hasOtherProven { proven.append(item.via == .email ? .attackersPhone : .ownersMail) }
        let isConfirmed = item.standing.isConfirmed
        try await claimed.server.resources.database.transaction { [proven] transaction in
            for address in proven {
                _ = try transaction.execute(
                    "INSERT INTO address_states (identity_id, via, value, state) VALUES ($1, $2, $3, 'proven')",
                    .identifier(account),
                    .text(address.via.rawValue),
                    .text(address.value)
                )
            }
            guard isConfirmed else { return }
            _ = try transaction.execute(
                "UPDATE identities SET confirmed_at = $1 WHERE id = $2",
                .time(now),
                .identifier(account)
            )
        }
        networks = try await Self.networks(of: account, on: claimed.server)
    }

    private static func networks(of account: Identifier, on server: SelfServiceServer) async throws
        -> [[UInt8]]
    {
        try await server.resources.database.rows(
            "SELECT network FROM known_networks WHERE identity_id = $1",
            .identifier(account)
        ).map { try $0.blob(0) }
    }

    // MARK: Acting

    func act() async throws -> Answer {
        let token = claimed.attackersToken
        switch item.act {
        case .sessionVerification: return try await enter(.verification, token: token)
        case .reauthentication: return try await enter(.login, token: token)
        case .unboundVerification: return try await enter(.verification)
        case .login: return try await enter(.login)
        case .recovery: return try await enter(.recovery)
        case .ownVerification:
            let flow = try #require(claimed.verifications[address])
            return try await server.submitCode(.verification, flow, ["code": code()], from: host)
        case .signUpWithCode: return try await signUpWithCode()
        case .signUpWithPassword:
            let flow = await server.begin(.registration)
            let body = [
                "method": "password", "password": .string(SelfServiceServer.password), "traits": traits,
            ]
            let first = try await server.submit(.registration, flow, .object(body), from: host)
            guard first.messages("code") == [.registrationCodeSent] else { return first }
            let all = body.merging(["code": try await code()]) { own, _ in own }
            return try await server.submit(.registration, flow, .object(all), from: host)
        case .signUpWithVerifiedPhone:
            let flow =
                item.isOwner
                ? try await server.beginRegistration(verified: address, "?identity_schema=customer")
                : await server.begin(.registration, "?identity_schema=customer")
            let body: JSONValue = .object([
                "method": "password", "password": "246810", "traits": .object(["phone": .string(address)]),
            ])
            return try await server.submit(.registration, flow, body, from: host)
        case .profileChange:
            var changed = SelfServiceServer.traits(7).members ?? [:]
            changed[item.via == .email ? "email" : "phone"] = .string(address)
            let asked = try await other.change(changed, from: host)
            guard let flow = ClaimedAccount.verifications(asked)[address] else { return asked }
            return try await server.submitCode(.verification, flow, ["code": code()], from: host)
        }
    }

    /// Requests a code for the address and enters it.
    private func enter(_ kind: FlowKind, token: String? = nil) async throws -> Answer {
        let query = kind == .login && token != nil ? "?refresh=true" : ""
        let flow = await server.begin(kind, query, token: token)
        _ = try await server.sendCode(kind, flow, to: address, token: token, from: host)
        return try await server.submitCode(kind, flow, ["code": code()], token: token, from: host)
    }

    private func signUpWithCode() async throws -> Answer {
        let flow = await server.begin(.registration)
        _ = try await server.submitCode(.registration, flow, ["traits": traits], from: host)
        // The first code is sent to the e-mail address, which an attacker may own.
        let first =
            item.via == .sms
            ? JSONValue.string(try await server.code(for: "new@example.org")) : try await code()
        let members = ["traits": traits, "code": first]
        let answer = try await server.submitCode(.registration, flow, members, from: host)
        guard answer.messages("code") == [.registrationCodeSent] else { return answer }
        return try await server.submitCode(
            .registration,
            flow,
            ["traits": traits, "code": code()],
            from: host
        )
    }

    /// Returns the code that was sent to the address, or a wrong one for an attacker.
    private func code() async throws -> JSONValue {
        let code = try await server.code(for: address)
        return item.isOwner ? .string(code) : SelfServiceServer.wrong(code)
    }

    // MARK: Looking

    func effect(after answer: Answer) async throws -> OwnershipMatrixTests.Effect {
        let identity = try await claimed.identity()
        var effect = OwnershipMatrixTests.Effect(unchanged: item.standing)
        let (contact, second) = (
            try #require(ContactAddress(address)), try #require(ContactAddress(otherAddress))
        )
        effect.isProven = identity.isProven(contact)
        effect.hasOtherProven = identity.isProven(second)
        effect.isConfirmed = identity.confirmedAt != nil
        effect.hasAddress = identity.addresses.contains(contact)
        effect.isReclaimed = identity.reclaimedAt != nil
        effect.isSessionAlive = await isSessionAlive(after: answer)
        let known = try await Self.networks(of: claimed.account, on: server)
        effect.isNetworkKnown = networks.allSatisfy { known.contains($0) }
        let isVerified = answer["state"] == "passed_challenge"
        effect.isRefused = answer.sessionToken == nil && !isVerified
        if let token = answer.sessionToken {
            let id = await server.get("/sessions/whoami", token: token)["identity"]?["id"]?.text
            effect.access = id == claimed.account.description ? .account : .newAccount
        } else if try await server.holder(of: address) == other.id {
            effect.access = .ownAccount
        }
        effect.isPasswordValid =
            try await server.login(otherAddress, ClaimedAccount.password, from: "198.51.100.7").status == 200
        return effect
    }

    /// Returns whether the session still exists, although a re-authentication replaces its token.
    private func isSessionAlive(after answer: Answer) async -> Bool {
        let isRenewed = item.act == .reauthentication && answer.sessionToken != nil
        return await server.isAlive(isRenewed ? answer.sessionToken : claimed.attackersToken)
    }
}

extension SelfServiceServer {
    /// A registered user with a session.
    fileprivate struct Client {
        let server: SelfServiceServer
        let id: Identifier
        let token: String

        func change(_ traits: [String: JSONValue], from host: String) async throws -> Answer {
            let flow = await server.begin(.settings, token: token)
            let body = JSONValue.object(["method": "profile", "traits": .object(traits)])
            return try await server.submit(.settings, flow, body, token: token, from: host)
        }
    }

    fileprivate func client(_ number: Int) async throws -> Client {
        let answer = try await register(number)
        return Client(
            server: self,
            id: try #require(answer["identity"]?["id"]?.text.flatMap { Identifier($0) }),
            token: try #require(answer["session_token"]?.text)
        )
    }
}
