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

@testable import LatchkeyAdmin
@testable import LatchkeyOAuth

/// Requests for codes and tokens that two servers with one database receive at once.
@Suite("Races for codes and tokens", .onEachDatabase)
struct GrantRaceTests {
    private let server: ProviderServer
    private let other: ProviderServer
    private let shop: RelyingParty

    init() async throws {
        server = try await ProviderServer()
        other = try await server.another()
        shop = try await server.client()
    }

    /// Returns the client at one of both servers.
    private func shop(at index: Int) -> RelyingParty {
        index % 2 == 0 ? shop : shop.connected(to: other)
    }

    @Test func `Of many redemptions of a code at once, one gets tokens, and the others end the grant`()
        async throws
    {
        let visitor = try await server.signedUp()
        for round in 0..<ProviderRace.rounds {
            let code = try await shop.authorize(visitor)
            let answers = try await ProviderRace.run { await shop(at: $0).redeem(code) }
            let winners = answers.filter { $0.status == 200 }
            #expect(winners.count == 1, "round \(round): \(answers.map(\.status))")
            #expect(answers.count { $0.oauthError == "invalid_grant" } == ProviderRace.width - 1)
            for tokens in winners {
                #expect(await shop(at: round).userInfo(tokens.accessToken).status == 401)
                let refresh = try #require(tokens.refreshToken)
                #expect(await shop(at: round).refresh(refresh).oauthError == "invalid_grant")
            }
        }
        #expect(try await server.count("grants", where: "ended_at IS NULL") == 0)
    }

    @Test func `Many refreshes at once have one successor`() async throws {
        let visitor = try await server.signedUp()
        var token = try #require(try await shop.tokens(of: visitor).refreshToken)
        for round in 0..<ProviderRace.rounds {
            let current = token
            let answers = try await ProviderRace.run { await shop(at: $0).refresh(current) }
            #expect(answers.allSatisfy { $0.status == 200 }, "round \(round): \(answers.map(\.status))")
            let successors = Set(answers.compactMap(\.refreshToken))
            #expect(successors.count == 1, "round \(round)")
            token = try #require(successors.first)
        }
        #expect(try await server.count("grants", where: "ended_at IS NULL") == 1)
    }

    @Test func `A session that is revoked while its codes are redeemed leaves no token that is accepted`()
        async throws
    {
        try await server.people.register()
        let owner = try #require(try await server.people.login().sessionToken)
        let openID: [String: String?] = ["scope": "openid"]
        var redeemed = 0
        for round in 0..<ProviderRace.rounds {
            let visitor = PageVisitor(server.people)
            try await visitor.browser.login()
            let waiting = try await shop.authorize(visitor, with: openID)
            let address = SelfServiceServer.url + shop.address(openID)
            let answers = try await ProviderRace.run(times: 3) { index in
                switch index {
                case (round + 0) % 3:
                    let revoked = await other.people.delete("/sessions", token: owner)
                    return [revoked]
                case (round + 1) % 3: return [await shop(at: round).redeem(waiting)]
                default:
                    // Without the session, the request leads to a login.
                    let answer = await visitor.browser.get(address)
                    guard let code = shop.code(in: answer) else { return [answer] }
                    return [answer, await shop(at: round + 1).redeem(code)]
                }
            }.flatMap { $0 }
            #expect(answers.allSatisfy { [200, 303, 400].contains($0.status) }, "\(answers.map(\.status))")
            for tokens in answers where !tokens.accessToken.isEmpty {
                redeemed += 1
                #expect(await shop(at: round).userInfo(tokens.accessToken).status == 401, "round \(round)")
            }
        }
        #expect(redeemed > 0)
    }

    // MARK: Clients

    /// How an operator ends the use of a client.
    enum Removal: CaseIterable {
        case deletion, disabling
    }

    /// Removes a client at the other server, so that the first one still knows it for some seconds.
    private func remove(_ client: RelyingParty, by removal: Removal) async throws {
        let accounts = other.people.assembly.accounts
        let administration = ClientAdministration(
            registry: accounts.clients,
            rules: accounts.clientRules,
            hasher: other.people.hasher,
            data: AccountData([TokenData()]),
            random: SystemRandom(),
            audit: accounts.audit,
            database: other.database
        )
        let context = RequestContext(
            HTTP.Request(.delete, "/"),
            from: PeerAddress(host: "192.0.2.9", port: 1),
            at: other.time.now
        )
        switch removal {
        case .deletion: try await administration.delete(client.id, in: context)
        case .disabling:
            let patch = #"[{"op": "add", "path": "/latchkey/disabled", "value": true}]"#
            _ = try await administration.patch(
                client.id,
                with: JSONParser.parse(Array(patch.utf8)),
                in: context
            )
        }
    }

    @Test(arguments: Removal.allCases)
    func `A client that is removed while it gets codes and tokens keeps none`(_ removal: Removal) async throws
    {
        let visitor = try await server.signedUp()
        var received = 0
        for round in 0..<ProviderRace.rounds {
            let client = try await server.client("shop\(round)", #""skip_consent": true"#)
            let earlier = try #require(try await client.tokens(of: visitor).refreshToken)
            let waiting = try await client.authorize(visitor)
            let address = SelfServiceServer.url + client.address()
            let answers = try await ProviderRace.run(times: 4) { index in
                switch index {
                case round % 4:
                    try await remove(client, by: removal)
                    // This server hasn't noticed it yet.
                    let late = await visitor.browser.get(address)
                    guard let code = client.code(in: late) else { return [late] }
                    return [late, await client.redeem(code)]
                case (round + 1) % 4: return [await client.redeem(waiting)]
                case (round + 2) % 4: return [await client.refresh(earlier)]
                default:
                    let answer = await visitor.browser.get(address)
                    guard let code = client.code(in: answer) else { return [answer] }
                    return [answer, await client.redeem(code)]
                }
            }.flatMap { $0 }
            #expect(answers.allSatisfy { $0.status < 500 }, "round \(round): \(answers.map(\.status))")
            for tokens in answers where !tokens.accessToken.isEmpty {
                received += 1
                #expect(await client.userInfo(tokens.accessToken).status == 401, "round \(round)")
                guard let refresh = tokens.refreshToken else { continue }
                #expect(await client.refresh(refresh).status != 200, "round \(round)")
            }
        }
        #expect(received > 0)
        #expect(try await server.count("grants", where: "ended_at IS NULL") == 0)
    }

    // MARK: Browsers

    @Test func `A consent that is answered twice at once gives the client one code`() async throws {
        let visitor = try await server.signedUp()
        let there = TestBrowser(other.people)
        for round in 0..<ProviderRace.rounds {
            try await visitor.open(shop.address(["prompt": "consent"]))
            #expect(visitor.isQuestion, "\(visitor.summary)")
            let (action, fields) = try visitor.form(with: [:])
            there.cookies = visitor.browser.cookies
            let second = round % 3 == 0 ? "refuse" : "approve"
            let answers = try await ProviderRace.run(times: 2) { index in
                let browser = (index + round) % 2 == 0 ? visitor.browser : there
                let decision = index == 0 ? "approve" : second
                return await browser.post(action, form: fields + [("decision", decision)])
            }
            let codes = answers.compactMap { shop.code(in: $0) }
            let refusals = answers.filter { $0.location?.contains("error=access_denied") == true }
            #expect(answers.allSatisfy { [303, 410].contains($0.status) }, "\(answers.map(\.status))")
            #expect(codes.isEmpty || refusals.isEmpty, "round \(round)")
            if second == "approve" { #expect(codes.count == 2, "round \(round)") }
            var winners: [Answer] = []
            for code in codes {
                let tokens = await shop(at: round).redeem(code)
                if tokens.status == 200 { winners.append(tokens) }
            }
            #expect(winners.count == (codes.isEmpty ? 0 : 1), "round \(round)")
            let open = try await server.count("grants", where: "ended_at IS NULL")
            #expect(open == winners.count, "round \(round)")
            for tokens in winners {
                _ = await shop.send(["token": tokens.refreshToken], to: Route.revocation)
            }
        }
    }

    @Test func `A login that is posted twice at once ends at the client, whichever answer arrives`()
        async throws
    {
        try await server.people.register()
        let first = PageVisitor(server.people)
        try await first.logIn()
        _ = try await shop.authorize(first)
        for round in 0..<ProviderRace.rounds {
            let visitor = PageVisitor(server.people)
            try await visitor.open(shop.address())
            let (action, fields) = try visitor.form(with: TestBrowser.credentials())
            let browsers = [visitor.browser, TestBrowser(other.people, cookies: visitor.browser.cookies)]
            let answers = try await ProviderRace.run(times: 2) { index in
                (index, await browsers[index].post(action, form: fields))
            }
            #expect(answers.allSatisfy { $0.1.status == 303 }, "\(answers.map(\.1.status))")
            // A browser follows only one of the answers.
            let (index, answer) = answers[round % 2]
            let next = await browsers[index].get(try #require(answer.location))
            let page = "\(answer.location ?? "") \(String(decoding: next.response.body, as: UTF8.self))"
            let code = try #require(shop.code(in: next), "round \(round): \(page)")
            #expect(next.location?.contains("state=the%20state") == true)
            let tokens = await shop(at: round).redeem(code)
            #expect(tokens.status == 200, "round \(round): \(tokens.body)")
            let late = try #require(answers[1 - round % 2].1.location)
            let repeated = await browsers[1 - index].get(late)
            #expect(shop.code(in: repeated) == nil)
            #expect(repeated.status < 500)
            // The first grant of the user is the only other one.
            #expect(try await server.count("grants", where: "ended_at IS NULL") == 2, "round \(round)")
            _ = await shop.send(["token": tokens.refreshToken], to: Route.revocation)
        }
    }
}

extension RelyingParty {
    /// The code with which a response leads to the client, or `nil` if it has none.
    func code(in answer: Answer) -> String? {
        guard let location = answer.location, location.hasPrefix(redirectURI + "?") else { return nil }
        return QueryItems(String(location.dropFirst(redirectURI.count + 1)))["code"]
    }
}
