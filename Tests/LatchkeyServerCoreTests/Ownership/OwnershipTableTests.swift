import LatchkeyModel
import LatchkeyServerCore
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite("Address ownership by proof", .onEachDatabase)
struct OwnershipTableTests {
    private static let entrances: [FlowKind] = [.login, .recovery]

    // MARK: Row 1

    @Test func `a code in the verification flow of the registration confirms the account without a token`()
        async throws
    {
        let scene = try await OwnershipScene()
        #expect(try await scene.verifyInside(OwnershipScene.phone)["state"] == "passed_challenge")
        let identity = try await scene.identity()
        #expect(identity.confirmedAt != nil)
        #expect(identity.provenAddresses == [.attackersPhone])
        #expect(await scene.isAlive(scene.attackersToken))
        #expect(try await scene.canLogIn(OwnershipScene.mail))
    }

    @Test func `a code in any verification flow with a session of the account confirms it`() async throws {
        let scene = try await OwnershipScene()
        let answer = try await scene.enter(
            .verification,
            with: OwnershipScene.phone,
            token: scene.attackersToken
        )
        #expect(answer["state"] == "passed_challenge")
        #expect(try await scene.identity().confirmedAt != nil)
    }

    @Test func `a code in a re-authentication confirms the account`()
        async throws
    {
        let scene = try await OwnershipScene()
        let answer = try await scene.enter(.login, with: OwnershipScene.phone, token: scene.attackersToken)
        #expect(answer.status == 200)
        let identity = try await scene.identity()
        #expect(identity.confirmedAt != nil)
        #expect(identity.reclaimedAt == nil)
        #expect(try await scene.canLogIn(OwnershipScene.mail))
    }

    @Test func `a code in the verification flow of a settings change confirms the account`() async throws {
        let scene = try await OwnershipScene { $0.verificationAfterSettings = true }
        let flow = await scene.server.begin(.settings, token: scene.attackersToken)
        let answer = try await scene.server.submit(
            .settings,
            flow,
            .object([
                "method": "profile",
                "traits": .object(["email": "new@example.org", "phone": .string(OwnershipScene.phone)]),
            ]),
            token: scene.attackersToken
        )
        let verification = try #require(OwnershipScene.verifications(answer)["new@example.org"])
        _ = try await scene.server.submitCode(
            .verification,
            verification,
            ["code": .string(try await scene.server.code(for: "new@example.org"))]
        )
        #expect(try await scene.identity().confirmedAt != nil)
    }

    @Test func `the verification flow of a registration ends with the session that it is bound to`()
        async throws
    {
        let scene = try await OwnershipScene()
        let code = try await scene.server.code(for: OwnershipScene.phone)
        _ = try await scene.server.delete(
            "/self-service/logout/api",
            .object(["session_token": .string(scene.attackersToken)])
        )
        let flow = try #require(scene.verifications[OwnershipScene.phone])
        let answer = try await scene.server.submitCode(.verification, flow, ["code": .string(code)])
        #expect(answer.errorID == .flowReplaced)
        #expect(try await scene.identity().provenAddresses.isEmpty)
    }

    // MARK: Row 2

    @Test func `a code in an unbound verification flow proves the address and removes no other`() async throws
    {
        let scene = try await OwnershipScene()
        _ = try await scene.verifyInside(OwnershipScene.phone)
        let answer = try await scene.enter(.verification, with: OwnershipScene.mail)
        #expect(answer["state"] == "passed_challenge")
        #expect(answer["session_token"] == nil)
        let identity = try await scene.identity()
        #expect(identity.provenAddresses == [.ownersMail, .attackersPhone])
        #expect(await scene.isAlive(scene.attackersToken))
        #expect(await scene.notices(to: OwnershipScene.phone) == ["address_verified"])
        #expect(await scene.notices(to: OwnershipScene.mail).isEmpty)
    }

    @Test("a verification from an unknown network does not open a confirmed account", arguments: entrances)
    func verificationFromElsewhere(_ kind: FlowKind) async throws {
        let scene = try await OwnershipScene()
        _ = try await scene.verifyInside(OwnershipScene.phone)
        let answer = try await scene.enter(.verification, with: OwnershipScene.mail, from: "203.0.113.9")
        #expect(answer["state"] == "passed_challenge")
        let identity = try await scene.identity()
        #expect(identity.verifiable.allSatisfy { $0.isVerified })
        #expect(identity.provenAddresses == [.attackersPhone])
        #expect(await scene.notices(to: OwnershipScene.phone) == ["address_verified"])
        let entry = try await scene.enter(kind, with: OwnershipScene.mail, from: "203.0.113.9")
        #expect(entry.messages == [.addressNotVerified])
    }

    @Test func `the flow that replaces a bound verification flow belongs to no account`() async throws {
        let scene = try await OwnershipScene()
        let code = JSONValue.string(try await scene.server.code(for: OwnershipScene.phone))
        let flow = try #require(scene.verifications[OwnershipScene.phone])
        _ = try await scene.server.delete(
            "/self-service/logout/api",
            .object(["session_token": .string(scene.attackersToken)])
        )
        let ended = try await scene.server.submitCode(.verification, flow, ["code": code])
        let next = try #require(ended["use_flow_id"]?.text)
        await scene.pause()
        _ = try await scene.server.submitCode(.verification, next, ["email": .string(OwnershipScene.phone)])
        _ = try await scene.server.submitCode(
            .verification,
            next,
            ["code": .string(try await scene.server.code(for: OwnershipScene.phone))]
        )
        #expect(try await scene.identity().confirmedAt == nil)
    }

    @Test func `a code in an unbound verification flow does not confirm the account`() async throws {
        let scene = try await OwnershipScene()
        _ = try await scene.enter(.verification, with: OwnershipScene.mail)
        #expect(try await scene.identity().confirmedAt == nil)
    }

    @Test func `a session of another account confirms nothing`() async throws {
        let scene = try await OwnershipScene()
        let other = try #require(try await scene.server.register(7)["session_token"]?.text)
        _ = try await scene.enter(.verification, with: OwnershipScene.mail, token: other)
        let identity = try await scene.identity()
        #expect(identity.isProven(.ownersMail))
        #expect(identity.confirmedAt == nil)
    }

    // MARK: Row 3

    @Test("a code to a proven address of a confirmed account opens it unchanged", arguments: entrances)
    func entersConfirmed(_ kind: FlowKind) async throws {
        let scene = try await OwnershipScene()
        _ = try await scene.verifyInside(OwnershipScene.mail)
        let before = try await scene.identity()
        let answer = try await scene.enter(kind, with: OwnershipScene.mail)
        #expect(answer.status == 200)
        let after = try await scene.identity()
        #expect(after.reclaimedAt == nil)
        #expect(after.identifiers == before.identifiers)
        #expect(try await scene.canLogIn(OwnershipScene.phone))
        // A recovery ends the other sessions; a login does not.
        #expect(await scene.isAlive(scene.attackersToken) == (kind == .login))
    }

    // MARK: Row 4

    @Test("a code to an address of an unconfirmed account reclaims the account", arguments: entrances)
    func reclaims(_ kind: FlowKind) async throws {
        let scene = try await OwnershipScene()
        let answer = try await scene.enter(kind, with: OwnershipScene.mail)
        #expect(answer.status == 200)
        #expect(await !scene.isAlive(scene.attackersToken))
        #expect(try await !scene.canLogIn(OwnershipScene.mail))
        #expect(try await !scene.canLogIn(OwnershipScene.phone))
        let identity = try await scene.identity()
        #expect(identity.identifiers == [OwnershipScene.mail])
        #expect(identity.verifiable.map(\.address) == [.ownersMail])
        #expect(identity.confirmedAt == scene.server.time.now)
        #expect(identity.reclaimedAt == scene.server.time.now)
        #expect(try await scene.deeds().contains(.accountReclaimed))
    }

    @Test(
        "the phone number of a reclaimed account stays in the traits and is no identifier",
        arguments: entrances
    )
    func releasesOtherAddresses(_ kind: FlowKind) async throws {
        let scene = try await OwnershipScene()
        let answer = try await scene.enter(kind, with: OwnershipScene.mail)
        let token = try #require(Self.token(answer))
        let me = await scene.server.get("/sessions/whoami", token: token)
        #expect(me["identity"]?["traits"]?["phone"]?.text == OwnershipScene.phone)
        #expect(me["identity"]?["metadata_public"]?["reclaimed_at"]?.text != nil)
        // The attacker's phone gets no more codes, neither to log in nor to verify.
        let before = scene.server.inbox.codes(for: OwnershipScene.phone).count
        for kind in [FlowKind.login, .verification] {
            await scene.pause()
            let flow = await scene.server.begin(kind)
            let field = kind == .login ? "identifier" : "email"
            let sent = try await scene.server.submitCode(kind, flow, [field: .string(OwnershipScene.phone)])
            #expect(sent["state"] == "sent_email")
        }
        await scene.server.messagesAreSent()
        #expect(scene.server.inbox.codes(for: OwnershipScene.phone).count == before)
    }

    @Test
    func
        `the new owner may save a profile with or without the released phone number, although it is required`()
        async throws
    {
        let scene = try await OwnershipScene()
        let token = try #require(Self.token(try await scene.enter(.login, with: OwnershipScene.mail)))
        for traits: [String: JSONValue] in [
            ["email": .string(OwnershipScene.mail), "phone": .string(OwnershipScene.phone), "name": "Owner"],
            ["email": .string(OwnershipScene.mail), "name": "Owner"],
        ] {
            let flow = await scene.server.begin(.settings, token: token)
            let answer = try await scene.server.submit(
                .settings,
                flow,
                .object(["method": "profile", "traits": .object(traits)]),
                token: token
            )
            #expect(answer["state"] == "success")
            #expect(try await scene.identity().identifiers == [OwnershipScene.mail])
        }
    }

    @Test
    func
        `an account that only unbound verifications have proven belongs to the first user who logs in with a code`()
        async throws
    {
        let scene = try await OwnershipScene()
        _ = try await scene.enter(.verification, with: OwnershipScene.mail)
        let answer = try await scene.enter(.login, with: OwnershipScene.mail)
        #expect(answer.status == 200)
        #expect(try await scene.identity().reclaimedAt != nil)
        #expect(await !scene.isAlive(scene.attackersToken))
    }

    // MARK: Row 5

    @Test("a right code to an unproven address of a confirmed account is refused", arguments: entrances)
    func refusesUnproven(_ kind: FlowKind) async throws {
        let scene = try await OwnershipScene()
        _ = try await scene.verifyInside(OwnershipScene.phone)
        let answer = try await scene.enter(kind, with: OwnershipScene.mail)
        #expect(answer.status == 400)
        #expect(answer.messages == [.addressNotVerified])
        #expect(Self.token(answer) == nil)
        let identity = try await scene.identity()
        #expect(identity.provenAddresses == [.attackersPhone])
        #expect(await scene.isAlive(scene.attackersToken))
        #expect(await scene.notices(to: OwnershipScene.phone) == ["login_refused"])
    }

    @Test func `proven addresses are notified of refused logins once a day`() async throws {
        let scene = try await OwnershipScene()
        _ = try await scene.verifyInside(OwnershipScene.phone)
        for expected in [1, 1, 2] {
            await scene.pause(for: .seconds(expected == 2 ? 86_400 : 60))
            _ = try await scene.enter(.login, with: OwnershipScene.mail)
            #expect(await scene.notices(to: OwnershipScene.phone).count == expected)
        }
    }

    @Test func `after a login with the password, the refused address can be proven from inside`() async throws
    {
        let scene = try await OwnershipScene()
        _ = try await scene.verifyInside(OwnershipScene.phone)
        let token = try #require(
            Self.token(try await scene.server.login(OwnershipScene.mail, OwnershipScene.password))
        )
        _ = try await scene.enter(.verification, with: OwnershipScene.mail, token: token)
        #expect(try await scene.enter(.login, with: OwnershipScene.mail).status == 200)
    }

    // MARK: Rows 6 and 7

    @Test func `a sign-up that proves an address takes it from an account that only claims it`() async throws
    {
        let scene = try await OwnershipScene()
        let traits: [String: JSONValue] = ["email": .string(OwnershipScene.mail), "phone": "+46709000002"]
        let answer = try await scene.signUp(traits, code: OwnershipScene.mail)
        #expect(answer.status == 200)
        let id = try #require(answer["identity"]?["id"]?.text.flatMap { Identifier($0) })
        #expect(id != scene.account)
        let new = try await scene.identity(id)
        #expect(new.isProven(.ownersMail))
        #expect(new.confirmedAt != nil)
        let old = try await scene.identity()
        #expect(old.identifiers == [OwnershipScene.phone])
        #expect(await scene.isAlive(scene.attackersToken))
        #expect(try await scene.canLogIn(OwnershipScene.phone))
        #expect(try await scene.deeds().contains(.addressReleased))
        #expect(try await scene.server.login(OwnershipScene.mail, OwnershipScene.password).status == 400)
    }

    @Test
    func
        `a sign-up with a verified phone takes the number when it is completed and not when the code is entered`()
        async throws
    {
        let server = try await FlowServer(schema: "customer") {
            $0.registrationSchemas = ["customer", "person"]
        }
        let claim = try await server.submit(
            .registration,
            await server.begin(.registration, "?identity_schema=person"),
            .object([
                "method": "password", "password": .string(FlowServer.password), "traits": FlowServer.traits(),
            ])
        )
        let claimant = try #require(claim["identity"]?["id"]?.text.flatMap { Identifier($0) })
        let phone = try #require(PhoneNumber("+46701000001"))
        let flow = try await server.beginRegistration(verified: phone.e164)
        func identifiers() async throws -> [String] {
            let found = try await server.context.database.transaction { transaction in
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

    @Test func `a sign-up with an address that an account has proven is refused after the code`() async throws
    {
        let scene = try await OwnershipScene()
        _ = try await scene.verifyInside(OwnershipScene.mail)
        let traits: [String: JSONValue] = ["email": .string(OwnershipScene.mail), "phone": "+46709000002"]
        let answer = try await scene.signUp(traits, code: OwnershipScene.mail)
        #expect(answer.status == 400)
        #expect(answer.messages == [.duplicateIdentifier])
        #expect(try await scene.identity().isProven(.ownersMail))
    }

    @Test func `with log_in, a sign-up with a proven address logs in to its account`() async throws {
        let scene = try await OwnershipScene { $0.existingAccount = .logIn }
        _ = try await scene.verifyInside(OwnershipScene.mail)
        let traits: [String: JSONValue] = ["email": .string(OwnershipScene.mail), "phone": "+46709000002"]
        let answer = try await scene.signUp(traits, code: OwnershipScene.mail)
        #expect(answer.status == 200)
        #expect(answer["identity"]?["id"]?.text == scene.account.description)
        #expect(await scene.isAlive(try #require(answer["session_token"]?.text)))
        #expect(try await scene.identity().identifiers.contains(OwnershipScene.phone))
    }

    @Test func `with log_in, known and unknown addresses are answered alike until the code is right`()
        async throws
    {
        let scene = try await OwnershipScene { $0.existingAccount = .logIn }
        _ = try await scene.verifyInside(OwnershipScene.mail)
        await scene.pause()
        var shapes: [[String]] = []
        for mail in [OwnershipScene.mail, "new@example.org"] {
            let flow = await scene.server.begin(.registration)
            let traits = JSONValue.object(["email": .string(mail), "phone": "+46709000002"])
            let sent = try await scene.server.submitCode(.registration, flow, ["traits": traits])
            let code = try await scene.server.code(for: mail)
            let wrong = try await scene.server.submitCode(
                .registration,
                flow,
                ["traits": traits, "code": FlowServer.wrong(code)]
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

    @Test func `an address that an account has in any state cannot be claimed again`() async throws {
        let scene = try await OwnershipScene()
        let body = JSONValue.object([
            "method": "password", "password": .string(FlowServer.password),
            "traits": .object(["email": .string(OwnershipScene.mail), "phone": "+46709000002"]),
        ])
        for _ in 1...2 {
            let answer = try await scene.server.submit(
                .registration,
                await scene.server.begin(.registration),
                body
            )
            #expect(answer.messages == [.duplicateIdentifier])
            _ = try await scene.verifyInside(OwnershipScene.mail)
        }
    }

    // MARK: The operator

    @Test func `the addresses of accounts that the operator creates are proven`() async throws {
        let scene = try await OwnershipScene()
        let schema = scene.server.context.schemas.standard
        var form = Form()
        let json = try JSONParser.parse(Array(#"{"email":"made@example.org","phone":"+46709000005"}"#.utf8))
        let traits = try #require(TraitReader.read(json, schema: schema, into: &form))
        let now = scene.server.time.now
        let made = Identity(schema: schema, traits: traits, verified: [], at: now, random: SystemRandom())
            .vouched(at: now)
        #expect(made.confirmedAt == now)
        #expect(made.verifiable.allSatisfy { !$0.isVerified })
        try await scene.server.context.database.transaction { transaction in
            try IdentityRepository.insert(made, passwordHash: nil, in: transaction)
        }
        let answer = try await scene.enter(.recovery, with: "made@example.org")
        #expect(answer["state"] == "passed_challenge")
        #expect(try await scene.identity(made.id).reclaimedAt == nil)
    }

    /// Returns the session token in the response of a login or a recovery.
    static func token(_ answer: Answer) -> String? {
        if let token = answer["session_token"]?.text { return token }
        guard case .array(let items)? = answer["continue_with"] else { return nil }
        return items.compactMap { $0["ory_session_token"]?.text }.first
    }
}
