import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite("Device keys of sessions", .onEachDatabase)
struct EnrolmentKeyTests {
    private let account: DeviceAccount
    private let key: SigningKey

    init() async throws {
        account = try await DeviceAccount()
        key = try SigningKey.generate()
        _ = try await account.register()
        try await account.messagesAreSent()
        account.server.time.advance(by: .seconds(1))
    }

    @Test(arguments: [0, 300, 899])
    func `A provisional session only accepts the key that was proven during the login`(
        _ age: Int
    )
        async throws
    {
        let token = try account.token(try await account.logIn(proof: try account.proof(key)))
        account.server.time.advance(by: .seconds(age))
        let refused = try await account.enrol(try SigningKey.generate(), token: token)
        #expect(refused.status == 409)
        #expect(refused.errorID == .certificateKeyDiffers)
        #expect(try await account.enrol(key, token: token).status == 200)
        #expect(try await account.isAlive(token))
    }

    @Test func `A session without a proof can get a certificate for a key within five minutes`() async throws
    {
        let tokens = [
            try account.token(try await account.logIn()), try account.token(try await account.logIn()),
        ]
        account.server.time.advance(by: .seconds(300) - .microseconds(1))
        #expect(try await account.enrol(key, token: tokens[0]).status == 200)
        account.server.time.advance(by: .microseconds(1))
        let refused = try await account.enrol(key, token: tokens[1])
        #expect(refused.status == 403)
        #expect(refused.errorID == .sessionRefreshRequired)
        // An existing certificate can be renewed at any time.
        #expect(try await account.enrol(key, token: tokens[0]).status == 200)
    }

    @Test(arguments: ["nonsense", "", "signature", "private key"])
    func `A login with a malformed proof is rejected and doesn't create a session`(_ kind: String)
        async throws
    {
        let proof = try account.proof(key)
        let other = try account.proof(try SigningKey.generate())
        let malformed: String =
            switch kind {
            case "signature":
                (proof.split(separator: ".").prefix(2) + other.split(separator: ".").suffix(1)).joined(
                    separator: "."
                )
            case "private key": String(proof.dropFirst(8))
            default: kind
            }
        let sessions = try await account.count("SELECT id FROM sessions")
        let flow = try await account.begin(.login)
        let refused = try await account.logIn(flow, proof: malformed)
        #expect(refused.status == 400)
        #expect(refused["session_token"] == nil)
        #expect(try await account.count("SELECT id FROM sessions") == sessions)
        #expect(try await account.logIn(flow, proof: proof).status == 200)
    }

    @Test(arguments: [-365, 365])
    func `The device's clock doesn't matter for the proof in a login`(_ days: Int) async throws {
        let proof = try account.proof(key) { $0.issuedAt = $0.issuedAt + .seconds(days * 86_400) }
        let token = try account.token(try await account.logIn(proof: proof))
        #expect(try await account.enrol(try SigningKey.generate(), token: token).status == 409)
        #expect(try await account.enrol(key, token: token).status == 200)
    }

    @Test func `A recovery with a proof binds its session to the key`() async throws {
        let proof = try account.proof(key, path: "/a/self-service/recovery")
        let token = try account.token(
            try await account.enter(.recovery, with: DeviceAccount.phone, proof: proof)
        )
        #expect(try await account.enrol(try SigningKey.generate(), token: token).status == 409)
        #expect(try await account.enrol(key, token: token).status == 200)
    }

    @Test func `The session of a registration with a proof is bound to the key`() async throws {
        let account = try await DeviceAccount()
        let token = try await account.register(proof: try account.proof(key, path: "/a" + Route.registration))
        #expect(try await account.enrol(try SigningKey.generate(), token: token).status == 409)
        #expect(try await account.enrol(key, token: token).status == 200)
    }

    @Test func `A session can get twenty certificates a day`() async throws {
        let token = try account.token(try await account.logIn())
        for _ in 1...20 { #expect(try await account.enrol(key, token: token).status == 200) }
        let refused = try await account.enrol(key, token: token)
        #expect(refused.status == 429)
        #expect(refused.response.headers["Retry-After"] == "86400")
        // Each session of the account has its own limit.
        let other = try account.token(try await account.logIn())
        #expect(try await account.enrol(key, token: other).status == 200)
        account.server.time.advance(by: .seconds(86_400))
        #expect(try await account.enrol(key, token: token).status == 200)
    }

    @Test func `The audit log contains the serial numbers of new and renewed certificates`() async throws {
        let token = try account.token(try await account.logIn())
        var serials: [String?] = []
        for _ in 1...2 {
            account.server.time.advance(by: .seconds(1))
            serials.append(try await account.enrol(key, token: token)["serialNumber"]?.text)
        }
        _ = try await account.enrol(try SigningKey.generate(), token: token)
        let events = try await account.events().filter {
            [.deviceEnrolled, .certificateRenewed].contains($0.action)
        }
        #expect(events.map(\.action) == [.deviceEnrolled, .certificateRenewed])
        #expect(events.map(\.subject) == serials)
        #expect(events.allSatisfy { $0.actor == .user })
    }
}

@Suite("Notices about new devices", .onEachDatabase)
struct DeviceNoticeTests {
    private func enrol(_ account: DeviceAccount) async throws {
        let token = try account.token(try await account.logIn())
        #expect(try await account.enrol(try SigningKey.generate(), token: token).status == 200)
    }

    @Test func `No notice is sent for the device that was used to sign up`() async throws {
        let account = try await DeviceAccount()
        let key = try SigningKey.generate()
        let token = try await account.register()
        for _ in 1...2 { #expect(try await account.enrol(key, token: token).status == 200) }
        #expect(try await account.deviceNotices().isEmpty)
    }

    @Test func `Notices are limited to one text message a day if no e-mail address is verified`() async throws
    {
        let account = try await DeviceAccount()
        _ = try await account.register()
        for _ in 1...3 {
            try await account.messagesAreSent()
            account.server.time.advance(by: .seconds(1))
            try await enrol(account)
        }
        #expect(try await account.deviceNotices() == [DeviceAccount.phone])
        let withheld = try await account.events().filter { $0.action == .noticeWithheld }
        #expect(withheld.map(\.subject) == ["device_added", "device_added"])
        try await account.messagesAreSent()
        account.server.time.advance(by: .seconds(86_400))
        try await enrol(account)
        #expect(try await account.deviceNotices() == [DeviceAccount.phone, DeviceAccount.phone])
    }

    @Test func `Notices are only sent by e-mail if an e-mail address is verified`() async throws {
        let account = try await DeviceAccount(schema: "person")
        let token = try await account.register()
        for address in [DeviceAccount.phone, DeviceAccount.mail] {
            let verified = try await account.enter(.verification, with: address, token: token)
            #expect(verified["state"] == "passed_challenge")
        }
        for _ in 1...2 { try await enrol(account) }
        #expect(try await account.deviceNotices() == [DeviceAccount.mail, DeviceAccount.mail])
    }

    @Test func `No notice is sent when a certificate is renewed`() async throws {
        let account = try await DeviceAccount()
        _ = try await account.register()
        account.server.time.advance(by: .seconds(1))
        let key = try SigningKey.generate()
        let token = try account.token(try await account.logIn())
        for _ in 1...3 { _ = try await account.enrol(key, token: token) }
        #expect(try await account.deviceNotices().count == 1)
    }
}
