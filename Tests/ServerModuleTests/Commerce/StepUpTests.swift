import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyCommerce

@Suite("Orders that need a recent login or an old device", .onEachDatabase)
struct StepUpTests {
    @Test func `An order above the limit needs more than an old login`() async throws {
        let shop = try await Shop.limited(to: "10.00 EUR")
        let refused = try await shop.order("pro", key: "1")
        #expect(refused.status == 403)
        #expect(refused.errorID == .deviceTooNew)
        #expect(refused["error"]?["reason"]?.text?.contains("wait a day") ?? false)
        #expect(try await shop.charges() == 0)
        // The limit is for the total of an order.
        #expect(try await shop.order("coins.100", key: "2", ["quantity": 2]).status == 201)
        #expect(try await shop.order("coins.100", key: "3", ["quantity": 3]).status == 403)
    }

    @Test func `Orders that need a step-up count against the limit of orders per account`() async throws {
        let shop = try await Shop { configuration in
            configuration.commerce.stepUpAbove = [Money("10.00 EUR")].compactMap(\.self)
            configuration.limits.ordersPerAccount = [Rate(2, per: .seconds(3600))]
        }
        try await shop.addCard()
        #expect(try await shop.order("pro", key: "1").status == 403)
        #expect(try await shop.order("pro", key: "2").status == 403)
        #expect(try await shop.order("pro", key: "3").status == 429)
    }

    @Test(arguments: [("9.99 EUR", false), ("10.00 EUR", false), ("10.01 EUR", true), ("1.00 NOK", true)])
    func `An order needs a step-up above the limit of its currency`(total: String, isRequired: Bool) throws {
        let stepUp = StepUp(limits: [try #require(Money("10.00 EUR"))])
        #expect(stepUp.isRequired(for: try #require(Money(total))) == isRequired)
    }

    @Test func `The token that a login has replaced isn't enough`() async throws {
        let shop = try await Shop.old()
        try await shop.addMail(age: .seconds(86_400))
        let login = try await shop.server.enter(.login, with: Shop.phone, token: shop.token, refresh: true)
        let token = try #require(login.sessionToken, "\(login.body)")
        #expect(try await shop.order("pro", key: "1").status == 403)
        #expect(try await shop.with(token: token).order("pro", key: "2").status == 201)
    }

    @Test func `Without a limit, no order needs a step-up`() async throws {
        let shop = try await Shop.limited()
        #expect(try await shop.order("pro").status == 201)
    }

    @Test func `An order in a currency without a limit needs a step-up if there are limits`() async throws {
        let shop = try await Shop.limited(to: "100.00 NOK")
        #expect(try await shop.order("level-pack").status == 403)
    }

    @Test(
        arguments: [
            (.password, 599, 201), (.password, 600, 403), (.code, 10, 201), (.code, 600, 403),
            (.codeRecovery, 10, 403),
        ] as [(AuthenticationMethod, Int, Int)]
    )
    func `A step-up is a recent login with a password or with a code to one of several addresses`(
        method: AuthenticationMethod,
        age: Int,
        status: Int
    ) async throws {
        let shop = try await Shop.old()
        try await shop.addMail(age: .seconds(86_400))
        try await shop.setPassword(age: .seconds(86_400))
        try await shop.setLogin(method: method, age: .seconds(age))
        let answer = try await shop.order("pro")
        #expect(answer.status == status)
        if status == 403 { #expect(answer.errorID == .sessionRefreshRequired) }
    }

    @Test(
        arguments: [
            (86_400, 86_399, .password, 403), (86_399, 86_400, .password, 201), (86_399, 86_400, .code, 403),
            (86_400, 86_399, .code, 201),
        ] as [(Int, Int, AuthenticationMethod, Int)]
    )
    func `A factor that was added less than a day ago isn't enough`(
        mailAge: Int,
        passwordAge: Int,
        method: AuthenticationMethod,
        status: Int
    ) async throws {
        let shop = try await Shop.old()
        try await shop.addMail(age: .seconds(mailAge))
        try await shop.setPassword(age: .seconds(passwordAge))
        try await shop.setLogin(method: method, age: .zero)
        #expect(try await shop.order("pro").status == status)
    }

    @Test func `A factor of the sign-up has to wait if the account was taken over`() async throws {
        let shop = try await Shop.limited(to: "10.00 EUR")
        try await shop.setPassword(age: .zero)
        try await shop.setLogin(method: .password, age: .zero)
        let now = shop.time.now
        try await shop.database.transaction { transaction in
            _ = try transaction.execute("UPDATE identities SET reclaimed_at = $1", .time(now))
        }
        #expect(try await shop.order("pro").status == 403)
    }

    @Test func `An address that is only claimed doesn't count as a second address`() async throws {
        let shop = try await Shop.old()
        try await shop.addMail(age: .seconds(86_400), isProven: false)
        try await shop.setLogin(method: .code, age: .zero)
        #expect(try await shop.order("pro").errorID == .deviceTooNew)
    }

    @Test func `A code to a new address isn't enough, even if the account has two older ones`() async throws {
        let shop = try await Shop.old()
        try await shop.addMail(age: .seconds(86_400))
        try await shop.setLogin(method: .code, age: .zero, evidence: "new@example.org")
        #expect(try await shop.order("pro").status == 403)
    }

    @Test func `The password of a sign-up doesn't have to wait`() async throws {
        let shop = try await Shop.limited(to: "10.00 EUR")
        try await shop.setPassword(age: .zero)
        try await shop.setLogin(method: .password, age: .zero)
        #expect(try await shop.order("pro").status == 201)
    }

    @Test func `If no login would be enough, the error doesn't ask for one`() async throws {
        let shop = try await Shop.old()
        try await shop.setLogin(method: .code, age: .zero)
        let answer = try await shop.order("pro")
        #expect(answer.status == 403)
        #expect(answer.errorID == .deviceTooNew)
        #expect(try await shop.charges() == 0)
    }

    @Test func `Hashing the password again doesn't make it new`() async throws {
        let shop = try await Shop.old()
        try await shop.setPassword(age: .seconds(86_400))
        try await shop.database.transaction { transaction in
            try IdentityRepository.rehash(shop.id, from: "quick2:x", to: "quick2:y", in: transaction)
        }
        try await shop.setLogin(method: .password, age: .zero)
        #expect(try await shop.order("pro").status == 201)
    }

    /// Stores a certificate for a key of the session.
    private func certify(
        _ key: SigningKey,
        of shop: Shop,
        age: Duration,
        serial: UInt8 = 1
    ) async throws {
        let session = try #require(
            try await shop.database.rows("SELECT id FROM sessions").first?.identifier(0)
        )
        let (issued, end) = (shop.time.now - age, shop.time.now + .seconds(86_400))
        try await shop.database.transaction { transaction in
            _ = try transaction.execute(
                """
                INSERT INTO certificates (serial, session_id, identity_id, key_thumbprint, issued_at, not_after) \
                VALUES ($1, $2, $3, $4, $5, $6)
                """,
                .blob([UInt8](repeating: serial, count: 16)),
                .identifier(session),
                .identifier(shop.id),
                .blob(key.publicKey.thumbprint),
                .time(issued),
                .time(end)
            )
        }
    }

    /// Returns the header fields with a proof of possession for an order.
    private func proof(_ key: SigningKey, in shop: Shop, token: String) throws -> HTTP.Headers {
        let proof = DPoPProof(
            method: .post,
            url: SelfServiceServer.url + "/a" + Route.Commerce.orders,
            id: Identifier().description,
            issuedAt: shop.time.now,
            accessTokenHash: SHA256.hash(Array(token.utf8))
        )
        return [
            DPoPProof.header: try proof.signed(jwk: key.publicKey.jwk) { try key.rawSignature(for: $0) }
        ]
    }

    @Test(arguments: [(86_400, 201), (86_399, 403)])
    func `A device key replaces the login once it is a day old`(age: Int, status: Int) async throws {
        let shop = try await Shop.limited(to: "10.00 EUR")
        let key = try SigningKey.generate()
        try await certify(key, of: shop, age: .seconds(age))
        #expect(try await shop.order("pro", key: "1").status == 403)
        let headers = try proof(key, in: shop, token: shop.token)
        #expect(try await shop.order("pro", key: "2", headers: headers).status == status)
    }

    /// Returns an access token that is bound to a certified key.
    private func boundToken(_ key: SigningKey, of shop: Shop) async throws -> Secret {
        let grant = TokenRequest.exchange(sessionToken: Secret(shop.token))
        let answer = try await grant.httpRequest(for: .dpop).answer(at: shop.time) { nonce in
            let proof = DPoPProof(
                method: .post,
                url: SelfServiceServer.url + Route.token,
                id: Identifier().description,
                issuedAt: shop.time.now,
                nonce: nonce
            )
            return try proof.signed(jwk: key.publicKey.jwk) { try key.rawSignature(for: $0) }
        } from: { request in
            await shop.server.send(request)
        }
        return try answer.pair().accessToken
    }

    @Test(arguments: [(86_400, 201), (86_399, 403)])
    func `The key of a bound access token replaces the login once it is a day old`(
        age: Int,
        status: Int
    ) async throws {
        let shop = try await Shop.limited(to: "10.00 EUR")
        let key = try SigningKey.generate()
        try await certify(key, of: shop, age: .seconds(age))
        let token = try await boundToken(key, of: shop)
        var request = HTTP.Request(
            .post,
            "/a" + Route.Commerce.orders,
            headers: try proof(key, in: shop, token: token.exposed),
            body: try JSONCoding.encode(JSONValue.object(["product_id": "pro"]))
        )
        request.headers["Content-Type"] = "application/json"
        request.headers["Authorization"] = "DPoP " + token.exposed
        request.headers[OrderBody.idempotencyField] = "order-1"
        #expect(await shop.server.send(request).status == status)
    }

    @Test(arguments: [(86_400, true, 201), (86_399, true, 403), (86_400, false, 403)])
    func `Without certificates, the key of the login replaces a later login`(
        age: Int,
        isKeyOfLogin: Bool,
        status: Int
    ) async throws {
        let shop = try await Shop.limited(to: "10.00 EUR")
        let key = try SigningKey.generate()
        let issued = shop.time.now - .seconds(age)
        try await shop.database.transaction { transaction in
            _ = try transaction.execute(
                "UPDATE sessions SET issued_at = $1, key_thumbprint = $2",
                .time(issued),
                .blob(isKeyOfLogin ? key.publicKey.thumbprint : [1])
            )
        }
        let headers = try proof(key, in: shop, token: shop.token)
        #expect(try await shop.order("pro", headers: headers).status == status)
    }

    @Test func `The key of the login isn't enough once its certificate has been revoked`() async throws {
        let shop = try await Shop.limited(to: "10.00 EUR")
        let key = try SigningKey.generate()
        try await certify(key, of: shop, age: .seconds(100_000))
        let now = shop.time.now
        try await shop.database.transaction { transaction in
            _ = try transaction.execute("UPDATE certificates SET revoked_at = $1", .time(now))
            _ = try transaction.execute(
                "UPDATE sessions SET issued_at = $1, key_thumbprint = $2",
                .time(now - .seconds(100_000)),
                .blob(key.publicKey.thumbprint)
            )
        }
        let headers = try proof(key, in: shop, token: shop.token)
        #expect(try await shop.order("pro", headers: headers).status == 403)
    }

    @Test func `A key counts from its oldest certificate that hasn't been revoked`() async throws {
        let shop = try await Shop.limited(to: "10.00 EUR")
        let key = try SigningKey.generate()
        try await certify(key, of: shop, age: .seconds(100_000))
        let now = shop.time.now
        try await shop.database.transaction { transaction in
            _ = try transaction.execute("UPDATE certificates SET revoked_at = $1", .time(now))
        }
        try await certify(key, of: shop, age: .seconds(10), serial: 2)
        let headers = try proof(key, in: shop, token: shop.token)
        #expect(try await shop.order("pro", headers: headers).status == 403)
    }

    @Test func `A proof by a key without a certificate doesn't replace the login`() async throws {
        let shop = try await Shop.limited(to: "10.00 EUR")
        try await certify(try SigningKey.generate(), of: shop, age: .seconds(100_000))
        let headers = try proof(try SigningKey.generate(), in: shop, token: shop.token)
        #expect(try await shop.order("pro", headers: headers).status == 403)
    }

    @Test func `A proof for another token or another request is rejected`() async throws {
        let shop = try await Shop.limited(to: "10.00 EUR")
        let key = try SigningKey.generate()
        try await certify(key, of: shop, age: .seconds(100_000))
        let other = try await shop.order("pro", headers: try proof(key, in: shop, token: "another token"))
        #expect(other.status == 401)
        #expect(other.errorID == .invalidDPoPProof)
        let headers = try proof(key, in: shop, token: shop.token)
        #expect(try await shop.order("pro", key: "1", headers: headers).status == 201)
        #expect(try await shop.order("coins.100", key: "2", headers: headers).status == 401)
    }
}
