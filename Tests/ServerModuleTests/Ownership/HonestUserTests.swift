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

/// One user's life with each built-in schema: no step is a dead end, and nothing that was paid for is lost.
@Suite("The story of an honest user", .onEachDatabase)
struct HonestUserTests {
    enum Schema: String, CaseIterable, Sendable {
        case customer, business, person, reader, shopper
    }

    @Test(arguments: Schema.allCases)
    func `A user signs up, ignores the mail, buys, changes devices and numbers, and leaves`(_ schema: Schema)
        async throws
    {
        var user = try await HonestUser(signingUpWith: schema)
        try await user.buys()
        try await user.logsInOnAnotherDevice()
        try await user.recovers()
        try await user.changesAddress()
        try await user.leaves()
        #expect(user.shop.server.reported.withLock { $0 } == [])
    }
}

private struct HonestUser {
    private static let mail = "honest@example.org"
    private static let phone = "+46701234567"
    private static let newMail = "moved@example.org"
    private static let newPhone = "+46707654321"
    private static let newPassword = "another-Horse-8-battery"

    let schema: HonestUserTests.Schema
    var shop: Shop
    private var password: String?
    private var address: String

    private var server: SelfServiceServer { shop.server }
    private var usesPhone: Bool { schema == .customer || schema == .shopper }

    init(signingUpWith schema: HonestUserTests.Schema) async throws {
        self.schema = schema
        address = schema == .customer || schema == .shopper ? Self.phone : Self.mail
        let password: String? =
            switch schema {
            case .customer: "246810"
            case .shopper: nil
            default: SelfServiceServer.password
            }
        self.password = password
        shop = try await Shop(registering: schema.rawValue) { server in
            if schema == .shopper { return try await Shop.register(Self.phone, on: server) }
            let traits: JSONValue =
                switch schema {
                case .customer: .object(["phone": .string(Self.phone), "email": .string(Self.mail)])
                case .person: .object(["phone": .string(Self.phone), "email": .string(Self.mail)])
                default: .object(["email": .string(Self.mail)])
                }
            if schema == .business {
                let id = try await Self.createdByOperator(server, traits: traits)
                return (id, try #require(try await server.login(Self.mail).sessionToken))
            }
            let flow =
                schema == .customer
                ? try await server.beginRegistration(verified: Self.phone) : await server.begin(.registration)
            let body: JSONValue = .object([
                "method": "password", "password": .string(password ?? ""), "traits": traits,
            ])
            let answer = try await server.submit(.registration, flow, body)
            return (
                try #require(answer["identity"]?["id"]?.text.flatMap { Identifier($0) }, "\(answer.body)"),
                try #require(answer.sessionToken)
            )
        }
        try await certify()
    }

    private static func createdByOperator(_ server: SelfServiceServer, traits: JSONValue) async throws
        -> Identifier
    {
        let (schema, now) = (server.resources.schemas.standard, server.time.now)
        let made = Identity(
            schema: schema,
            traits: try Traits.valid(traits, for: schema),
            verified: [],
            at: now,
            random: SystemRandom()
        ).vouched(at: now)
        let hash = try await server.hasher.hash(Secret(SelfServiceServer.password))
        try await server.resources.database.transaction { transaction in
            try IdentityRepository.insert(made, passwordHash: hash, in: transaction)
        }
        return made.id
    }

    /// Enrols the devices of all sessions, as the SDK does.
    private func certify() async throws {
        try await server.resources.database.transaction { transaction in
            _ = try transaction.execute("UPDATE sessions SET needs_certificate = 0")
        }
    }

    /// Buys a product, and verifies an address if the server asks for it.
    mutating func buys() async throws {
        let first = try await shop.addCard()
        if schema == .person || schema == .reader {
            #expect(first.status == 403)
            #expect(first.errorID == .dutyRequired)
            #expect(first["error"]?["duty"] == "verify_address", "\(first.body)")
            let verified = try await server.enter(.verification, with: Self.mail, token: shop.token)
            #expect(verified["state"] == "passed_challenge", "\(verified.body)")
            #expect(try await shop.addCard().status == 201)
        } else {
            #expect(first.status == 201, "\(first.body)")
        }
        let order = try await shop.order("pro", key: "one")
        #expect(order.status == 201, "\(order.body)")
        #expect(await shop.owned() == ["pro"])
    }

    mutating func logsInOnAnotherDevice() async throws {
        let answer: Answer
        if schema == .customer || schema == .business {
            answer = try await server.login(address, password ?? "", from: "203.0.113.8")
        } else {
            answer = try await server.enter(.login, with: address)
        }
        shop = shop.with(token: try #require(answer.sessionToken, "\(answer.body)"))
        try await certify()
        #expect(await shop.owned() == ["pro"])
    }

    /// Recovers the account on a new device, because the old ones were lost.
    mutating func recovers() async throws {
        let lost = shop.token
        let answer = try await server.enter(.recovery, with: address)
        shop = shop.with(token: try #require(answer.sessionToken, "\(answer.body)"))
        try await certify()
        #expect(await !server.isAlive(lost))
        if password != nil {
            let new = schema == .customer ? "135791" : Self.newPassword
            let changed = try await server.change(password: new, token: shop.token)
            #expect(changed["state"] == "success", "\(changed.body)")
            password = new
        }
        #expect(await shop.owned() == ["pro"])
    }

    /// Changes the address that the user logs in with.
    mutating func changesAddress() async throws {
        try await logsInAgain()
        let new = usesPhone ? Self.newPhone : Self.newMail
        var traits: [String: JSONValue] = [usesPhone ? "phone" : "email": .string(new)]
        if schema == .person { traits["phone"] = .string(Self.phone) }
        let region = await server.get("/sessions/whoami", token: shop.token)["identity"]?["traits"]?["region"]
        traits["region"] = region
        let answer = try await server.change(traits: traits, token: shop.token)
        #expect(answer.status == 200, "\(answer.body)")
        if let flow = ClaimedAccount.verifications(answer)[new] {
            let code = JSONValue.string(try await server.code(for: new))
            let done = try await server.submitCode(.verification, flow, ["code": code])
            #expect(done["state"] == "passed_challenge", "\(done.body)")
        } else {
            let verified = try await server.enter(.verification, with: new, token: shop.token)
            #expect(verified["state"] == "passed_challenge", "\(verified.body)")
        }
        address = new
        #expect(await shop.owned() == ["pro"])
        try await logsInAgain()
        #expect(await shop.owned() == ["pro"])
    }

    private mutating func logsInAgain() async throws {
        let answer =
            if let password { try await server.login(address, password) } else {
                try await server.enter(.login, with: address)
            }
        shop = shop.with(token: try #require(answer.sessionToken, "\(answer.body)"))
        try await certify()
    }

    mutating func leaves() async throws {
        let answer = await server.delete("/account", token: shop.token)
        #expect(answer.status == 202, "\(answer.body)")
        #expect(await !server.isAlive(shop.token))
        server.time.advance(by: .seconds(8 * 86_400))
        let erased = try await server.assembly.accounts.erasure.eraseDeleted(
            at: server.time.now,
            atMost: 10,
            in: server.resources.database
        )
        #expect(erased == 1)
        #expect(try await server.count("identities") == 0)
        #expect(try await server.holder(of: address) == nil)
    }
}
