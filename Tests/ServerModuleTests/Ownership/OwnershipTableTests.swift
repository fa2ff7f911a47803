import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite("Address ownership by kind of proof", .onEachDatabase)
struct OwnershipTableTests {
    private static let entrances: [FlowKind] = [.login, .recovery]

    // MARK: Row 1

    @Test func `A code in the registration's verification flow confirms the account without a token`()
        async throws
    {
        let claimed = try await ClaimedAccount()
        #expect(try await claimed.verifyInside(ClaimedAccount.phone)["state"] == "passed_challenge")
        let identity = try await claimed.identity()
        #expect(identity.confirmedAt != nil)
        #expect(identity.provenAddresses == [.attackersPhone])
        #expect(await claimed.isAlive(claimed.attackersToken))
        #expect(try await claimed.canLogIn(ClaimedAccount.mail))
    }

    @Test func `A code confirms the account in any verification flow that uses the account's session`()
        async throws
    {
        let claimed = try await ClaimedAccount()
        let answer = try await claimed.enter(
            .verification,
            with: ClaimedAccount.phone,
            token: claimed.attackersToken
        )
        #expect(answer["state"] == "passed_challenge")
        #expect(try await claimed.identity().confirmedAt != nil)
    }

    @Test func `A code that re-authenticates the user confirms the account`()
        async throws
    {
        let claimed = try await ClaimedAccount()
        let answer = try await claimed.enter(
            .login,
            with: ClaimedAccount.phone,
            token: claimed.attackersToken
        )
        #expect(answer.status == 200)
        let identity = try await claimed.identity()
        #expect(identity.confirmedAt != nil)
        #expect(identity.reclaimedAt == nil)
        #expect(try await claimed.canLogIn(ClaimedAccount.mail))
    }

    @Test func `A verification code that is sent after a settings change confirms the account`() async throws
    {
        let claimed = try await ClaimedAccount { $0.changes.sendsVerification = true }
        let flow = await claimed.server.begin(.settings, token: claimed.attackersToken)
        let answer = try await claimed.server.submit(
            .settings,
            flow,
            .object([
                "method": "profile",
                "traits": .object(["email": "new@example.org", "phone": .string(ClaimedAccount.phone)]),
            ]),
            token: claimed.attackersToken
        )
        let verification = try #require(ClaimedAccount.verifications(answer)["new@example.org"])
        _ = try await claimed.server.submitCode(
            .verification,
            verification,
            ["code": .string(try await claimed.server.code(for: "new@example.org"))]
        )
        #expect(try await claimed.identity().confirmedAt != nil)
    }

    @Test func `Logging out also ends the verification flow of the registration`()
        async throws
    {
        let claimed = try await ClaimedAccount()
        let code = try await claimed.server.code(for: ClaimedAccount.phone)
        _ = try await claimed.server.delete(
            "/self-service/logout/api",
            .object(["session_token": .string(claimed.attackersToken)])
        )
        let flow = try #require(claimed.verifications[ClaimedAccount.phone])
        let answer = try await claimed.server.submitCode(.verification, flow, ["code": .string(code)])
        #expect(answer.errorID == .flowReplaced)
        #expect(try await claimed.identity().provenAddresses.isEmpty)
    }

    // MARK: Row 2

    @Test func `An unbound verification doesn't prove an address of a confirmed account`() async throws {
        let claimed = try await ClaimedAccount()
        _ = try await claimed.verifyInside(ClaimedAccount.phone)
        let answer = try await claimed.enter(.verification, with: ClaimedAccount.mail)
        #expect(answer["state"] == "passed_challenge")
        #expect(answer["session_token"] == nil)
        let identity = try await claimed.identity()
        #expect(identity.provenAddresses == [.attackersPhone])
        #expect(await claimed.isAlive(claimed.attackersToken))
        #expect(await claimed.notices(to: ClaimedAccount.phone) == ["address_verified"])
        #expect(await claimed.notices(to: ClaimedAccount.mail).isEmpty)
    }

    @Test(
        "A verification without a session doesn't give access to a confirmed account",
        arguments: entrances,
        ["192.0.2.1", "203.0.113.9"]
    )
    func verificationFromElsewhere(_ kind: FlowKind, host: String) async throws {
        let claimed = try await ClaimedAccount()
        _ = try await claimed.verifyInside(ClaimedAccount.phone)
        let answer = try await claimed.enter(.verification, with: ClaimedAccount.mail, from: host)
        #expect(answer["state"] == "passed_challenge")
        let identity = try await claimed.identity()
        #expect(identity.verifiable.allSatisfy { $0.isVerified })
        #expect(identity.provenAddresses == [.attackersPhone])
        #expect(await claimed.notices(to: ClaimedAccount.phone) == ["address_verified"])
        let entry = try await claimed.enter(kind, with: ClaimedAccount.mail, from: host)
        #expect(entry.messages == [.addressNotVerified])
    }

    @Test func `The replacement for a bound verification flow isn't bound to an account`() async throws {
        let claimed = try await ClaimedAccount()
        let code = JSONValue.string(try await claimed.server.code(for: ClaimedAccount.phone))
        let flow = try #require(claimed.verifications[ClaimedAccount.phone])
        _ = try await claimed.server.delete(
            "/self-service/logout/api",
            .object(["session_token": .string(claimed.attackersToken)])
        )
        let ended = try await claimed.server.submitCode(.verification, flow, ["code": code])
        let next = try #require(ended["use_flow_id"]?.text)
        await claimed.pause()
        _ = try await claimed.server.submitCode(.verification, next, ["email": .string(ClaimedAccount.phone)])
        _ = try await claimed.server.submitCode(
            .verification,
            next,
            ["code": .string(try await claimed.server.code(for: ClaimedAccount.phone))]
        )
        #expect(try await claimed.identity().confirmedAt == nil)
    }

    @Test func `A code in an unbound verification flow doesn't confirm the account`() async throws {
        let claimed = try await ClaimedAccount()
        _ = try await claimed.enter(.verification, with: ClaimedAccount.mail)
        #expect(try await claimed.identity().confirmedAt == nil)
    }

    @Test func `Verifying an address with another account's session doesn't confirm the account`()
        async throws
    {
        let claimed = try await ClaimedAccount()
        let other = try #require(try await claimed.server.register(7)["session_token"]?.text)
        _ = try await claimed.enter(.verification, with: ClaimedAccount.mail, token: other)
        let identity = try await claimed.identity()
        #expect(identity.isProven(.ownersMail))
        #expect(identity.confirmedAt == nil)
    }

    // MARK: Row 3

    @Test(
        "A code for a verified address of a confirmed account gives access and changes nothing else",
        arguments: entrances
    )
    func entersConfirmed(_ kind: FlowKind) async throws {
        let claimed = try await ClaimedAccount()
        _ = try await claimed.verifyInside(ClaimedAccount.mail)
        let before = try await claimed.identity()
        let answer = try await claimed.enter(kind, with: ClaimedAccount.mail)
        #expect(answer.status == 200)
        let after = try await claimed.identity()
        #expect(after.reclaimedAt == nil)
        #expect(after.identifiers == before.identifiers)
        #expect(try await claimed.canLogIn(ClaimedAccount.phone))
        // A recovery ends the other sessions, but a login doesn't.
        #expect(await claimed.isAlive(claimed.attackersToken) == (kind == .login))
    }

    // MARK: Row 4

    @Test(
        "A code that is sent to an address of an unconfirmed account reclaims the account",
        arguments: entrances
    )
    func reclaims(_ kind: FlowKind) async throws {
        let claimed = try await ClaimedAccount()
        let answer = try await claimed.enter(kind, with: ClaimedAccount.mail)
        #expect(answer.status == 200)
        #expect(await !claimed.isAlive(claimed.attackersToken))
        #expect(try await !claimed.canLogIn(ClaimedAccount.mail))
        #expect(try await !claimed.canLogIn(ClaimedAccount.phone))
        let identity = try await claimed.identity()
        #expect(identity.identifiers == [ClaimedAccount.mail])
        #expect(identity.verifiable.map(\.address) == [.ownersMail])
        #expect(identity.confirmedAt == claimed.server.time.now)
        #expect(identity.reclaimedAt == claimed.server.time.now)
        #expect(try await claimed.actions().contains(.accountReclaimed))
    }

    @Test("The other address of a reclaimed account receives no codes", arguments: entrances)
    func releasesOtherAddresses(_ kind: FlowKind) async throws {
        let claimed = try await ClaimedAccount()
        let answer = try await claimed.enter(kind, with: ClaimedAccount.mail)
        let token = try #require(answer.sessionToken)
        let me = await claimed.server.get("/sessions/whoami", token: token)
        #expect(me["identity"]?["traits"]?["phone"] == nil)
        #expect(me["identity"]?["metadata_public"]?["reclaimed_at"]?.text != nil)
        let before = claimed.server.inbox.codes(for: ClaimedAccount.phone).count
        for kind in [FlowKind.login, .verification] {
            await claimed.pause()
            let flow = await claimed.server.begin(kind)
            let field = kind == .login ? "identifier" : "email"
            let sent = try await claimed.server.submitCode(kind, flow, [field: .string(ClaimedAccount.phone)])
            #expect(sent["state"] == "sent_email")
        }
        await claimed.server.messagesAreSent()
        #expect(claimed.server.inbox.codes(for: ClaimedAccount.phone).count == before)
    }

    @Test func `The new owner can save a profile without the fields that the takeover has erased`()
        async throws
    {
        let claimed = try await ClaimedAccount()
        let token = try #require(try await claimed.enter(.login, with: ClaimedAccount.mail).sessionToken)
        let answer = try await claimed.server.change(
            traits: ["email": .string(ClaimedAccount.mail), "name": "Owner"],
            token: token
        )
        #expect(answer["state"] == "success")
        #expect(try await claimed.identity().identifiers == [ClaimedAccount.mail])
        let missing = try await claimed.server.change(traits: ["name": "Owner"], token: token)
        #expect(missing.messages("traits.email") == [.missing])
    }

    @Test
    func `The first login with a code reclaims an account that was only verified from outside`()
        async throws
    {
        let claimed = try await ClaimedAccount()
        _ = try await claimed.enter(.verification, with: ClaimedAccount.mail)
        let answer = try await claimed.enter(.login, with: ClaimedAccount.mail)
        #expect(answer.status == 200)
        #expect(try await claimed.identity().reclaimedAt != nil)
        #expect(await !claimed.isAlive(claimed.attackersToken))
    }

    // MARK: Row 5

    @Test("A correct code for an unverified address of a confirmed account is rejected", arguments: entrances)
    func refusesUnproven(_ kind: FlowKind) async throws {
        let claimed = try await ClaimedAccount()
        _ = try await claimed.verifyInside(ClaimedAccount.phone)
        let answer = try await claimed.enter(kind, with: ClaimedAccount.mail)
        #expect(answer.status == 400)
        #expect(answer.messages == [.addressNotVerified])
        #expect(answer.sessionToken == nil)
        let identity = try await claimed.identity()
        #expect(identity.provenAddresses == [.attackersPhone])
        #expect(await claimed.isAlive(claimed.attackersToken))
        #expect(await claimed.notices(to: ClaimedAccount.phone) == ["login_refused"])
    }

    @Test("The audit log doesn't record a rejected address as verified", arguments: entrances)
    func recordsNoVerification(_ kind: FlowKind) async throws {
        let claimed = try await ClaimedAccount()
        _ = try await claimed.verifyInside(ClaimedAccount.phone)
        let before = try await claimed.actions()
        #expect(try await claimed.enter(kind, with: ClaimedAccount.mail).messages == [.addressNotVerified])
        let after = try await claimed.actions()
        #expect(after.count { $0 == .addressVerified } == before.count { $0 == .addressVerified })
    }

    @Test func `Proven addresses are notified of rejected logins once a day`() async throws {
        let claimed = try await ClaimedAccount()
        _ = try await claimed.verifyInside(ClaimedAccount.phone)
        for expected in [1, 1, 2] {
            await claimed.pause(for: .seconds(expected == 2 ? 86_400 : 60))
            _ = try await claimed.enter(.login, with: ClaimedAccount.mail)
            #expect(await claimed.notices(to: ClaimedAccount.phone).count == expected)
        }
    }

    @Test func `After logging in with the password, the user can verify the address`() async throws {
        let claimed = try await ClaimedAccount()
        _ = try await claimed.verifyInside(ClaimedAccount.phone)
        let token = try #require(
            try await claimed.server.login(ClaimedAccount.mail, ClaimedAccount.password).sessionToken
        )
        _ = try await claimed.enter(.verification, with: ClaimedAccount.mail, token: token)
        #expect(try await claimed.enter(.login, with: ClaimedAccount.mail).status == 200)
    }

    // MARK: Rows 6 and 7

    @Test func `A sign-up that verifies an address removes the address from any account that only claims it`()
        async throws
    {
        let claimed = try await ClaimedAccount()
        let traits: [String: JSONValue] = ["email": .string(ClaimedAccount.mail), "phone": "+46709000002"]
        let answer = try await claimed.signUp(traits, code: ClaimedAccount.mail)
        #expect(answer.status == 200)
        let id = try #require(answer["identity"]?["id"]?.text.flatMap { Identifier($0) })
        #expect(id != claimed.account)
        let new = try await claimed.identity(id)
        #expect(new.isProven(.ownersMail))
        #expect(new.confirmedAt != nil)
        let old = try await claimed.identity()
        #expect(old.identifiers == [ClaimedAccount.phone])
        #expect(await claimed.isAlive(claimed.attackersToken))
        #expect(try await claimed.canLogIn(ClaimedAccount.phone))
        #expect(try await claimed.actions().contains(.addressReleased))
        #expect(try await claimed.server.login(ClaimedAccount.mail, ClaimedAccount.password).status == 400)
    }

    @Test func `Signing up can take a phone number from another account, but verification can't`()
        async throws
    {
        let server = try await SelfServiceServer(schema: "customer") {
            $0.registration.schemas = ["customer", "person"]
        }
        let claim = try await server.submit(
            .registration,
            await server.begin(.registration, "?identity_schema=person"),
            .object([
                "method": "password", "password": .string(SelfServiceServer.password),
                "traits": SelfServiceServer.traits(),
            ])
        )
        let claimant = try #require(claim["identity"]?["id"]?.text.flatMap { Identifier($0) })
        let phone = try #require(PhoneNumber("+46701000001"))
        let flow = try await server.beginRegistration(verified: phone.e164)
        func identifiers() async throws -> [String] {
            let found = try await server.resources.database.transaction { transaction in
                try IdentityRepository.load(claimant, in: transaction)
            }
            return try #require(found).identifiers
        }
        #expect(try await identifiers().contains(phone.e164))
        let answer = try await server.submit(
            .registration,
            flow,
            .object([
                "method": "password", "password": "000000", "traits": .object(["phone": .string(phone.e164)]),
            ])
        )
        #expect(answer.status == 200)
        #expect(try await identifiers() == ["person1@example.org"])
    }

    @Test
    func `A sign-up with another account's verified address is rejected after the code has been entered`()
        async throws
    {
        let claimed = try await ClaimedAccount()
        _ = try await claimed.verifyInside(ClaimedAccount.mail)
        let traits: [String: JSONValue] = ["email": .string(ClaimedAccount.mail), "phone": "+46709000002"]
        let answer = try await claimed.signUp(traits, code: ClaimedAccount.mail)
        #expect(answer.status == 400)
        #expect(answer.messages == [.duplicateIdentifier])
        #expect(try await claimed.identity().isProven(.ownersMail))
    }

    @Test func `With log_in, a sign-up with a verified address logs in to the existing account`() async throws
    {
        let claimed = try await ClaimedAccount { $0.registration.existingAccount = .logIn }
        _ = try await claimed.verifyInside(ClaimedAccount.mail)
        let traits: [String: JSONValue] = ["email": .string(ClaimedAccount.mail), "phone": "+46709000002"]
        let answer = try await claimed.signUp(traits, code: ClaimedAccount.mail)
        #expect(answer.status == 200)
        #expect(answer["identity"]?["id"]?.text == claimed.account.description)
        #expect(await claimed.isAlive(try #require(answer["session_token"]?.text)))
        #expect(try await claimed.identity().identifiers.contains(ClaimedAccount.phone))
    }

    @Test(arguments: ExistingAccountRule.allCases)
    func `A sign-up with a verified address ends after its code, even if its phone is only claimed`(
        _ rule: ExistingAccountRule
    ) async throws {
        let claimed = try await ClaimedAccount { $0.registration.existingAccount = rule }
        _ = try await claimed.verifyInside(ClaimedAccount.mail)
        await claimed.server.messagesAreSent()
        let texts = claimed.server.inbox.codes(for: ClaimedAccount.phone).count
        let traits: [String: JSONValue] = [
            "email": .string(ClaimedAccount.mail), "phone": .string(ClaimedAccount.phone),
        ]
        let answer = try await claimed.signUp(traits, code: ClaimedAccount.mail)
        await claimed.server.messagesAreSent()
        #expect(claimed.server.inbox.codes(for: ClaimedAccount.phone).count == texts)
        if rule == .logIn {
            #expect(answer["identity"]?["id"]?.text == claimed.account.description, "\(answer.body)")
        } else {
            #expect(answer.messages == [.duplicateIdentifier])
        }
    }

    @Test func `With log_in, responses reveal a known address only after the correct code has been entered`()
        async throws
    {
        let claimed = try await ClaimedAccount { $0.registration.existingAccount = .logIn }
        _ = try await claimed.verifyInside(ClaimedAccount.mail)
        await claimed.pause()
        var shapes: [[String]] = []
        for mail in [ClaimedAccount.mail, "new@example.org"] {
            let flow = await claimed.server.begin(.registration)
            let traits = JSONValue.object(["email": .string(mail), "phone": "+46709000002"])
            let sent = try await claimed.server.submitCode(.registration, flow, ["traits": traits])
            let code = try await claimed.server.code(for: mail)
            let wrong = try await claimed.server.submitCode(
                .registration,
                flow,
                ["traits": traits, "code": SelfServiceServer.wrong(code)]
            )
            shapes.append(
                [sent, wrong].flatMap {
                    ["\($0.status)", "\($0.messages)", "\($0.fields)", "\($0["state"] ?? .null)"]
                }
            )
        }
        #expect(shapes[0] == shapes[1])
    }

    // MARK: Row 8

    @Test func `Registration with another account's e-mail address is rejected`() async throws {
        let claimed = try await ClaimedAccount()
        let body = JSONValue.object([
            "method": "password", "password": .string(SelfServiceServer.password),
            "traits": .object(["email": .string(ClaimedAccount.mail), "phone": "+46709000002"]),
        ])
        for _ in 1...2 {
            let answer = try await claimed.server.submit(
                .registration,
                await claimed.server.begin(.registration),
                body
            )
            #expect(answer.messages == [.duplicateIdentifier])
            _ = try await claimed.verifyInside(ClaimedAccount.mail)
        }
    }

    // MARK: The operator

    @Test func `Accounts that the operator creates have verified addresses`() async throws {
        let claimed = try await ClaimedAccount()
        let schema = claimed.server.resources.schemas.standard
        var form = Form()
        let json = try JSONParser.parse(Array(#"{"email":"made@example.org","phone":"+46709000005"}"#.utf8))
        let traits = try #require(TraitValidator.read(json, schema: schema, into: &form))
        let now = claimed.server.time.now
        let made = Identity(schema: schema, traits: traits, verified: [], at: now, random: SystemRandom())
            .vouched(at: now)
        #expect(made.confirmedAt == now)
        #expect(made.verifiable.allSatisfy { !$0.isVerified })
        try await claimed.server.resources.database.transaction { transaction in
            try IdentityRepository.insert(made, passwordHash: nil, in: transaction)
        }
        let answer = try await claimed.enter(.recovery, with: "made@example.org")
        #expect(answer["state"] == "passed_challenge")
        #expect(try await claimed.identity(made.id).reclaimedAt == nil)
    }
}
