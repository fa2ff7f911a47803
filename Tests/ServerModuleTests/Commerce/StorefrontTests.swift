import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyCommerce

@Suite("Storefront and products", .onEachDatabase)
struct StorefrontTests {
    @Test func `An account gets the storefront and products of its region`() async throws {
        let shop = try await Shop()
        let storefront = await shop.get(Route.Commerce.storefront, headers: ["Accept-Language": "nb-NO"])
        #expect(storefront.status == 200)
        #expect(storefront["id"] == "AT")
        #expect(storefront["country_code"] == "AT")
        #expect(storefront["currency"] == "EUR")
        #expect(storefront["is_guess"] == .bool(false))
        let products = await shop.get(Route.Commerce.products, headers: ["Accept-Language": "de"])
        #expect(
            products["products"]?.elements.map { $0["id"]?.text } == [
                "coins.100", "level-pack", "pro", "vignette",
            ]
        )
        #expect(products["products"]?.first?["title"] == "100 Münzen")
        #expect(
            products["products"]?.first?["price"] == .object(["amount": .integer(499), "currency": "EUR"])
        )
        #expect(products["unknown_ids"]?.elements == [])
    }

    @Test func `Without a session, the storefront is guessed from the languages`() async throws {
        let shop = try await Shop()
        let guessed = await shop.server.get(
            Route.Commerce.storefront,
            headers: ["Accept-Language": "fr-FR, nb-NO;q=0.5"]
        )
        #expect(guessed["id"] == "NO")
        #expect(guessed["is_guess"] == .bool(true))
        #expect(await shop.server.get(Route.Commerce.storefront)["id"] == "US")
    }

    @Test func `Products from other storefronts are left out`() async throws {
        let shop = try await Shop()
        let path = Route.Commerce.products + "?id=pro&id=vignette&id=secret&id=pro"
        let answer = await shop.server.get(path, headers: ["Accept-Language": "nb-NO"])
        #expect(answer["products"]?.elements.map { $0["id"]?.text } == ["pro"])
        #expect(answer["unknown_ids"]?.elements == ["vignette", "secret"])
        #expect(!String(decoding: answer.response.body, as: UTF8.self).contains("EUR"))
    }

    @Test func `At most 100 products can be requested by id`() async throws {
        let shop = try await Shop()
        let ids = (0...100).map { "id=p\($0)" }
        #expect(await shop.get(Route.Commerce.products + "?" + ids.joined(separator: "&")).status == 400)
        #expect(
            await shop.get(Route.Commerce.products + "?" + ids.dropLast().joined(separator: "&")).status
                == 200
        )
    }

    @Test func `Invalid credentials are rejected`() async throws {
        let shop = try await Shop()
        _ = try await shop.server.logOut(shop.token)
        for path in [Route.Commerce.storefront, Route.Commerce.products] {
            let answer = await shop.get(path)
            #expect(answer.status == 401)
            #expect(answer.errorID == .sessionInactive)
        }
    }

    @Test func `An account whose region has no storefront gets the default one in any language`() async throws
    {
        let shop = try await Shop(phone: "+46700000001")
        let storefront = await shop.get(Route.Commerce.storefront, headers: ["Accept-Language": "nb-NO"])
        #expect(storefront["id"] == "US")
        #expect(storefront["is_guess"] == .bool(true))
    }

    @Test func `Commerce routes don't exist without a catalog`() async throws {
        let server = try await SelfServiceServer()
        for path in [Route.Commerce.storefront, Route.Commerce.products, Route.Commerce.transactions] {
            #expect(await server.get(path).status == 404)
        }
        #expect(server.assembly.commerce == nil)
        #expect(!server.assembly.operatorRoutes.contains { $0.path.hasPrefix("/admin/commerce") })
    }
}

@Suite("Account regions", .onEachDatabase)
struct AccountRegionTests {
    @Test(arguments: [
        ("+436601234567", "AT"), ("+4790000001", "NO"), ("+14165550100", "CA"), ("+12125550100", "US"),
    ])
    func `Signing up sets the region from the phone number's calling code`(phone: String, region: String)
        async throws
    {
        let shop = try await Shop(phone: phone)
        let me = await shop.get("/sessions/whoami")
        #expect(me["identity"]?["traits"]?["region"]?.text == region)
        // The traits are in the same order as in the schema.
        let traits = String(decoding: try await shop.server.identity(shop.id).traits, as: UTF8.self)
        #expect(traits == #"{"phone":"\#(phone)","region":"\#(region)"}"#)
    }

    @Test func `The region isn't set if the phone number doesn't belong to a region`() async throws {
        let shop = try await Shop(phone: "+881612345678")
        #expect(await shop.get("/sessions/whoami")["identity"]?["traits"]?["region"] == nil)
    }

    @Test(
        arguments: [
            ("+4790000001", "SE", "NO"), ("+4790000001", "IN", "NO"), ("+4790000001", "SJ", "SJ"),
            ("+12125550100", "CA", "CA"), ("+12125550100", "MX", "US"), ("+881612345678", "IN", nil),
        ] as [(String, String, String?)]
    )
    func `A region in a sign-up only counts if it shares the phone number's calling code`(
        phone: String,
        region: String,
        expected: String?
    ) async throws {
        let shop = try await Shop()
        let (id, _) = try await Shop.register(phone, on: shop.server, traits: ["region": .string(region)])
        #expect(try await shop.server.identity(id).region?.code == expected)
    }

    @Test func `The region isn't set if the schema doesn't have one`() async throws {
        let server = try await SelfServiceServer()
        let answer = try await server.register()
        #expect(answer["identity"]?["traits"]?["region"] == nil)
    }

    @Test func `The region isn't set if the schema allows arbitrary text in that trait`() async throws {
        let schema = """
            {"type": "object", "properties": {"traits": {"type": "object", "properties": {
              "phone": {"type": "string", "format": "tel", "ory.sh/kratos": {
                "credentials": {"code": {"identifier": true, "via": "sms"}}}},
              "region": {"type": "string", "maxLength": 40}}}}}
            """
        let server = try await SelfServiceServer(schema: "state", schemas: ["state": schema])
        let (id, token) = try await Shop.register("+4790000001", on: server)
        #expect(try await server.identity(id).region == nil)
        let traits: [String: JSONValue] = ["phone": "+4790000001", "region": "Bavaria"]
        #expect(try await server.change(traits: traits, token: token).status == 200)
    }

    @Test func `Changing the region in the profile is recorded in the audit log`() async throws {
        let shop = try await Shop(phone: "+12125550100")
        #expect(try await shop.change(region: "US").status == 200)
        #expect(try await shop.audited(.regionChanged) == 0)
        #expect(try await shop.change(region: "ca").status == 200)
        #expect(try await shop.server.identity(shop.id).region?.code == "CA")
        #expect(try await shop.audited(.regionChanged) == 1)
        #expect(try await shop.audited(.traitsChanged) == 1)
    }

    @Test func `A region that doesn't share the phone number's calling code is rejected`() async throws {
        let shop = try await Shop()
        let answer = try await shop.change(region: "NO")
        #expect(answer.status == 400)
        #expect(!answer.messages("traits.region").isEmpty)
        #expect(try await shop.server.identity(shop.id).region?.code == "AT")
        #expect(try await shop.audited(.regionChanged) == 0)
    }

    @Test func `A user can change the region once in 90 days`() async throws {
        let shop = try await Shop(phone: "+12125550100")
        #expect(try await shop.change(region: "CA").status == 200)
        let refused = try await shop.change(region: "US")
        #expect(refused.status == 400)
        #expect(!refused.messages("traits.region").isEmpty)
        #expect(try await shop.server.identity(shop.id).region?.code == "CA")
        // Saving the profile without a change of the region is always possible.
        #expect(try await shop.change(region: "CA").status == 200)
        try await shop.server.keepSessions(for: .seconds(91 * 86_400))
        shop.time.advance(by: .seconds(90 * 86_400 - 1))
        #expect(try await shop.change(region: "US").status == 400)
        shop.time.advance(by: .seconds(1))
        #expect(try await shop.change(region: "US").status == 200)
    }

    @Test func `The region is kept if the client leaves it out`() async throws {
        let shop = try await Shop(phone: "+12125550100")
        #expect(try await shop.change(region: "CA").status == 200)
        let traits: [String: JSONValue] = ["phone": "+12125550100"]
        #expect(try await shop.server.change(traits: traits, token: shop.token).status == 200)
        #expect(try await shop.server.identity(shop.id).region?.code == "CA")
        #expect(try await shop.audited(.regionChanged) == 1)
    }

    @Test func `An account without a region gets its phone number's with the next change`() async throws {
        let shop = try await Shop(phone: "+4790000001")
        let patch = #"[{"op": "remove", "path": "/traits/region"}]"#
        let headers: HTTP.Headers = ["Content-Type": "application/json"]
        #expect(
            await shop.admin.send(.patch, "/admin/identities/\(shop.id)", patch, headers: headers).status
                == 200
        )
        let traits: [String: JSONValue] = ["phone": "+4790000001"]
        #expect(try await shop.server.change(traits: traits, token: shop.token).status == 200)
        #expect(try await shop.server.identity(shop.id).region?.code == "NO")
    }

    @Test func `A change that was stored with a later time doesn't delay the next one further`() async throws
    {
        let shop = try await Shop(phone: "+12125550100")
        let now = shop.time.now
        let next = try await shop.database.transaction { [id = shop.id] transaction in
            try IdentityRepository.noteRegionChange(
                of: id,
                at: now + .seconds(1000 * 86_400),
                in: transaction
            )
            return try IdentityRepository.nextRegionChange(of: id, at: now, in: transaction)
        }
        #expect(next == now + .seconds(90 * 86_400))
    }

    @Test func `The first region isn't a change that has to wait`() async throws {
        let shop = try await Shop(phone: "+4790000001")
        let patch = #"[{"op": "remove", "path": "/traits/region"}]"#
        let headers: HTTP.Headers = ["Content-Type": "application/json"]
        _ = await shop.admin.send(.patch, "/admin/identities/\(shop.id)", patch, headers: headers)
        #expect(try await shop.change(region: "SJ").status == 200)
        #expect(try await shop.change(region: "NO").status == 200)
        #expect(try await shop.change(region: "SJ").status == 400)
    }

    @Test func `Removing the phone number doesn't free the choice of the region`() async throws {
        let schema = """
            {"type": "object", "properties": {"traits": {"type": "object", "properties": {
              "email": {"type": "string", "format": "email", "ory.sh/kratos": {
                "credentials": {"password": {"identifier": true}}}},
              "phone": {"type": "string", "format": "tel", "ory.sh/kratos": {
                "credentials": {"code": {"identifier": true, "via": "sms"}}}},
              "region": {"type": "string", "minLength": 2, "maxLength": 2}}}}}
            """
        let server = try await SelfServiceServer(schema: "own", schemas: ["own": schema])
        let mail = "ann@example.org"
        let body: JSONValue = .object([
            "method": "password", "password": .string(SelfServiceServer.password),
            "traits": .object(["email": .string(mail), "phone": "+4790000001"]),
        ])
        let answer = try await server.submit(.registration, await server.begin(.registration), body)
        let token = try #require(answer.sessionToken, "\(answer.body)")
        let refused = try await server.change(traits: ["email": .string(mail), "region": "IN"], token: token)
        #expect(!refused.messages("traits.region").isEmpty, "\(refused.body)")
    }

    @Test func `A new owner has the phone number's region and may change it at once`() async throws {
        var shop = try await Shop(phone: "+12125550100")
        #expect(try await shop.change(region: "CA").status == 200)
        try await shop.database.transaction { transaction in
            try transaction.execute("UPDATE identities SET confirmed_at = NULL")
            try transaction.execute("DELETE FROM address_states")
        }
        let answer = try await shop.server.enter(.login, with: shop.phone)
        shop = shop.with(token: try #require(answer.sessionToken))
        let me = await shop.get("/sessions/whoami")
        #expect(me["identity"]?["traits"] == .object(["phone": .string(shop.phone), "region": "US"]))
        #expect(me["duties"] == nil)
        #expect(try await shop.change(region: "CA").status == 200)
    }

    @Test func `A change of the region by the operator doesn't delay the user's own change`() async throws {
        let shop = try await Shop(phone: "+12125550100")
        let patch = #"[{"op": "replace", "path": "/traits/region", "value": "CA"}]"#
        let headers: HTTP.Headers = ["Content-Type": "application/json"]
        #expect(
            await shop.admin.send(.patch, "/admin/identities/\(shop.id)", patch, headers: headers).status
                == 200
        )
        #expect(try await shop.change(region: "US").status == 200)
        // The operator isn't bound by the interval.
        #expect(
            await shop.admin.send(.patch, "/admin/identities/\(shop.id)", patch, headers: headers).status
                == 200
        )
        #expect(try await shop.server.identity(shop.id).region?.code == "CA")
    }

    @Test(arguments: ["ZZ", "EU", "X", "AUT", "1A", "ß"])
    func `Invalid region codes are rejected`(region: String) async throws {
        let shop = try await Shop()
        let answer = try await shop.change(region: region)
        #expect(answer.status == 400)
        #expect(!answer.messages("traits.region").isEmpty)
        #expect(try await shop.server.identity(shop.id).region?.code == "AT")
    }

    @Test func `A region change by an operator is recorded in the audit log`() async throws {
        let shop = try await Shop()
        let patch = #"[{"op": "replace", "path": "/traits/region", "value": "SE"}]"#
        let headers: HTTP.Headers = ["Content-Type": "application/json"]
        let answer = await shop.admin.send(.patch, "/admin/identities/\(shop.id)", patch, headers: headers)
        #expect(answer.status == 200, "\(answer.body)")
        #expect(try await shop.audited(.regionChanged) == 1)
    }
}

extension SelfServiceServer {
    /// Extends all sessions, so that the clock can be advanced.
    func keepSessions(for duration: Duration) async throws {
        let end = time.now + duration
        try await resources.database.transaction { transaction in
            _ = try transaction.execute("UPDATE sessions SET expires_at = $1", .time(end))
        }
    }
}
