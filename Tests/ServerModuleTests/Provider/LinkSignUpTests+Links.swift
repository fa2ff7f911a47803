import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyCrypto
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyOAuth

/// Forged, late and repeated links and codes, and accounts whose links expire.
extension LinkSignUpTests {
    // MARK: Deep links at the server

    enum Fault: String, CaseIterable, Sendable {
        case forged, otherVerifier, noVerifier, otherClient, otherRedirect, late, replayed
    }

    @Test(arguments: Fault.allCases)
    func `A code of a link that isn't redeemed as it was asked for has no effect`(fault: Fault) async throws {
        let signUp = try await site.signUp()
        let code = try await signUp.returned()
        let answer: Answer
        switch fault {
        case .forged: answer = try await site.redeem(String(code.dropLast(4)) + "AAAA")
        case .otherVerifier:
            answer = try await site.redeem(code, with: ["code_verifier": String(repeating: "v", count: 43)])
        case .noVerifier: answer = try await site.redeem(code, with: ["code_verifier": nil])
        case .otherClient:
            let other = try await LinkServer.client("other", at: server)
            answer = await other.redeem(code, proof: try site.proof())
        case .otherRedirect:
            answer = try await site.redeem(code, with: ["redirect_uri": LinkServer.redirect + "2"])
        case .late:
            server.time.advance(by: .seconds(61))
            answer = try await site.redeem(code)
        case .replayed:
            #expect(try await site.redeem(code).status == 200)
            answer = try await site.redeem(code)
        }
        #expect(answer.oauthError == "invalid_grant", "\(answer.body)")
        let isConfirmed = try await people.identity(signUp.account).confirmedAt != nil
        #expect(isConfirmed == (fault == .replayed))
        // A wrong presentation doesn't use the code up.
        if fault != .late, fault != .replayed { #expect(try await site.redeem(code).status == 200) }
    }

    enum LinkFault: String, CaseIterable, Sendable {
        case forgedProof, otherCode, otherFlow, noToken, otherBrowser, notConfirmed, expired
    }

    @Test(arguments: LinkFault.allCases)
    func `A link or form that isn't the genuine one leads to no app`(fault: LinkFault) async throws {
        let signUp = try await site.signUp()
        let visitor: PageVisitor
        switch fault {
        case .forgedProof: visitor = try await signUp.opened(signUp.link + "A")
        case .otherCode:
            visitor = try await signUp.opened(signUp.link.replacing(signUp.code, with: signUp.code.wrongCode))
        case .otherFlow:
            visitor = try await signUp.opened(signUp.link.replacing(signUp.flow, with: "\(Identifier())"))
        case .noToken:
            visitor = try await signUp.confirmed()
            try await visitor.submit(["action": "open", "csrf_token": "forged"])
        case .otherBrowser:
            let own = try await signUp.confirmed()
            let (action, fields) = try own.form(with: ["action": "open"])
            visitor = try await signUp.opened()
            let page = await visitor.browser.post(action, form: fields)
            #expect(page.status == 403)
        case .notConfirmed:
            visitor = try await signUp.opened()
            let report = try #require(visitor.text.firstMatch(of: #/formaction="([^"]*)"/#)).output.1
            try await visitor.submit(["action": "open"], to: String(report))
            // The page with the question is shown again.
            #expect(visitor.field("code") != nil, "\(visitor.summary)")
        case .expired:
            visitor = try await signUp.confirmed()
            server.time.advance(by: .seconds(3601))
            try await visitor.openApp()
        }
        #expect(visitor.location?.hasPrefix("com.example") != true, "\(visitor.summary)")
        #expect(try await server.count("grants") == 0)
        #expect(try await people.identity(signUp.account).confirmedAt == nil)
    }

    @Test func `Of ten redemptions at once, one wins, and confirms the account`() async throws {
        let other = LinkServer(site, at: try await server.another())
        let signUp = try await site.signUp()
        let code = try await signUp.returned()
        let answers = try await ProviderRace.run { number in
            try await (number.isMultiple(of: 2) ? site : other).redeem(code)
        }
        #expect(answers.count { $0.status == 200 } == 1, "\(answers.map(\.status))")
        #expect(answers.count { $0.oauthError == "invalid_grant" } == answers.count - 1)
        #expect(try await people.identity(signUp.account).confirmedAt != nil)
        #expect(try await server.count("grants") == 1)
    }

    @Test func `A redemption whose address has gone to another account has no effect`() async throws {
        let signUp = try await site.signUp()
        let code = try await signUp.returned()
        try await server.database.transaction { transaction in
            for table: SQL in ["addresses", "address_states", "identifiers"] {
                _ = try transaction.execute(
                    "DELETE FROM \(table) WHERE identity_id = $1",
                    .identifier(signUp.account)
                )
            }
        }
        #expect(try await site.redeem(code).oauthError == "invalid_grant")
        #expect(try await server.count("grants", where: "redeemed_at IS NOT NULL") == 0)
    }

    // MARK: Repeated answers

    @Test func `A phone number's code leads to no app after the link of the mail was opened`() async throws {
        // The attacker signs up with the own phone number and the victim's mail address.
        let flow = await site.begin(.registration, site.query(["identity_schema": nil]))
        let created = try await people.submit(
            .registration,
            flow.flowID ?? "none",
            .object([
                "method": "password", "password": .string(SelfServiceServer.password),
                "traits": SelfServiceServer.traits(1),
            ])
        )
        #expect(created.status == 200, "\(created.body)")
        let ofPhone = created.steps.first { step in
            step["flow"]?["verifiable_address"]?.text == ProvenAccount.phone
        }
        let attack = LinkSignUp(
            server: site,
            account: try #require(created["identity"]?["id"]?.text.flatMap { Identifier($0) }),
            flow: try #require(ofPhone?["flow"]?["id"]?.text),
            link: try await site.link()
        )
        _ = try await attack.returned()
        let done = try await people.submitCode(
            .verification,
            attack.flow,
            ["code": .string(try await people.code(for: ProvenAccount.phone))]
        )
        #expect(done["state"] == "passed_challenge", "\(done.body)")
        #expect(done.steps.allSatisfy { $0["redirect_browser_to"] == nil }, "\(done.body)")
        #expect(try await server.count("grants") == 1)
        // No token can contain the victim's address as verified.
        let proven = try await people.identity(attack.account).provenAddresses
        #expect(proven.map(\.value) == [ProvenAccount.phone])
    }

    @Test func `The button works again after its code has expired, until a code was redeemed`() async throws {
        let signUp = try await site.signUp()
        let page = try await signUp.confirmed()
        let again = PageVisitor(copying: page)
        let last = PageVisitor(copying: page)
        try await page.openApp()
        server.time.advance(by: .seconds(61))
        #expect(try await site.redeem(try site.news.code(of: page)).oauthError == "invalid_grant")
        try await again.openApp()
        #expect(try await site.redeem(try site.news.code(of: again)).status == 200)
        try await last.openApp()
        #expect(last.location == nil, "\(last.summary)")
        #expect(try await server.count("grants") == 1)
    }

    @Test func `The tokens of a link can be exchanged for a session only before their first refresh`()
        async throws
    {
        let signUp = try await site.signUp()
        let tokens = try await site.redeem(try await signUp.returned())
        let token = try #require(tokens.refreshToken, "\(tokens.body)")
        let refreshed = await site.news.refresh(token, proof: try site.proof())
        #expect(refreshed.status == 200, "\(refreshed.body)")
        for answer in [tokens, refreshed] {
            #expect(try await site.exchange(answer).oauthError == "invalid_grant")
        }
    }

    @Test
    func `A link that confirms no account for the first time is followed by the notice of a new device`()
        async throws
    {
        let signUp = try await site.signUp()
        let page = try await signUp.confirmed()
        try await server.database.transaction { transaction in
            _ = try transaction.execute("UPDATE identities SET confirmed_at = created_at")
        }
        server.time.advance(by: .seconds(1))
        try await page.openApp()
        let tokens = try await site.redeem(try site.news.code(of: page))
        #expect(try await site.exchange(tokens).status == 200)
        #expect(try await people.recipients(of: .deviceAdded) == [LinkServer.mail])
    }

    @Test func `An account whose devices need a certificate gets no code for a link`() async throws {
        let signUp = try await site.signUp()
        let page = try await signUp.confirmed()
        try await server.database.transaction { transaction in
            _ = try transaction.execute("UPDATE identities SET schema_id = 'customer'")
        }
        try await page.openApp()
        #expect(page.location == nil, "\(page.summary)")
        #expect(try await server.count("grants") == 0)
    }

    // MARK: Clean-up

    enum Meanwhile: String, CaseIterable, Sendable {
        case unused, confirmed, redeemed, loggedIn, askedAgain, vouchedFor
    }

    @Test(arguments: Meanwhile.allCases)
    func `An account whose link expires unused is erased after seven days, unless it was used`(
        meanwhile: Meanwhile
    ) async throws {
        let site = try await LinkServer {
            if meanwhile == .askedAgain { $0.login.verifiedAddress = .required }
        }
        let server = site.server
        let signUp = try await site.signUp()
        switch meanwhile {
        case .unused: break
        case .confirmed: _ = try await signUp.confirmed()
        case .redeemed: #expect(try await site.redeem(try await signUp.returned()).status == 200)
        case .loggedIn: #expect(try await site.people.login(LinkServer.mail).sessionToken != nil)
        case .askedAgain:
            await site.people.messagesAreSent()
            server.time.advance(by: .seconds(3600))
            #expect(try await site.people.login(LinkServer.mail).status == 403)
        case .vouchedFor: try await site.people.confirmAll()
        }
        func cleanUp() async throws -> Int {
            try await site.people.assembly.accounts.erasure.eraseLapsed(
                at: server.time.now,
                atMost: 10,
                in: server.database
            )
        }
        server.time.advance(by: .seconds(7 * 86_400))
        #expect(try await cleanUp() == 0)
        server.time.advance(by: .seconds(3600))
        _ = try await cleanUp()
        let isErased = meanwhile == .unused || meanwhile == .askedAgain
        #expect(try await site.people.count("identities") == (isErased ? 0 : 1), "\(meanwhile)")
        #expect(try await cleanUp() == 0)
        let actions = try await site.people.actions(of: signUp.account)
        #expect(actions.contains(.deleted) == isErased)
    }
}
