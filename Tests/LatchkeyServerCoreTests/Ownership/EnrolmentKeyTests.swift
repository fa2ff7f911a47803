import LatchkeyCrypto
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyServerCore

@Suite("Device key of a session", .onEachDatabase)
struct EnrolmentKeyTests {
    private let scene: DeviceScene
    private let key: SigningKey

    init() async throws {
        scene = try await DeviceScene()
        key = try SigningKey.generate()
        _ = try await scene.register()
        try await scene.messagesAreSent()
        scene.server.time.advance(by: .seconds(1))
    }

    @Test(arguments: [0, 300, 899])
    func `a session whose login proved a key can enrol that key only, as long as it is provisional`(
        _ age: Int
    )
        async throws
    {
        let token = try scene.token(try await scene.logIn(proof: try scene.proof(key)))
        scene.server.time.advance(by: .seconds(age))
        let refused = try await scene.enrol(try SigningKey.generate(), token: token)
        #expect(refused.status == 409)
        #expect(refused.errorID == .certificateKeyDiffers)
        #expect(try await scene.enrol(key, token: token).status == 200)
        #expect(try await scene.isAlive(token))
    }

    @Test func `a session without a proof can enrol a key within five minutes`() async throws {
        let tokens = [try scene.token(try await scene.logIn()), try scene.token(try await scene.logIn())]
        scene.server.time.advance(by: .seconds(300) - .microseconds(1))
        #expect(try await scene.enrol(key, token: tokens[0]).status == 200)
        scene.server.time.advance(by: .microseconds(1))
        let refused = try await scene.enrol(key, token: tokens[1])
        #expect(refused.status == 403)
        #expect(refused.errorID == .sessionRefreshRequired)
        // The existing certificate can be renewed at any time.
        #expect(try await scene.enrol(key, token: tokens[0]).status == 200)
    }

    @Test(arguments: ["nonsense", "", "signature", "private key"])
    func `a login with a malformed proof is refused and opens no session`(_ kind: String) async throws {
        let proof = try scene.proof(key)
        let other = try scene.proof(try SigningKey.generate())
        let malformed: String =
            switch kind {
            case "signature":
                (proof.split(separator: ".").prefix(2) + other.split(separator: ".").suffix(1)).joined(
                    separator: "."
                )
            case "private key": String(proof.dropFirst(8))
            default: kind
            }
        let sessions = try await scene.count("SELECT id FROM sessions")
        let flow = try await scene.begin(.login)
        let refused = try await scene.logIn(flow, proof: malformed)
        #expect(refused.status == 400)
        #expect(refused["session_token"] == nil)
        #expect(try await scene.count("SELECT id FROM sessions") == sessions)
        #expect(try await scene.logIn(flow, proof: proof).status == 200)
    }

    @Test(arguments: [-365, 365])
    func `the clock of the device is irrelevant to the proof of a login`(_ days: Int) async throws {
        let proof = try scene.proof(key) { $0.issuedAt = $0.issuedAt + .seconds(days * 86_400) }
        let token = try scene.token(try await scene.logIn(proof: proof))
        #expect(try await scene.enrol(try SigningKey.generate(), token: token).status == 409)
        #expect(try await scene.enrol(key, token: token).status == 200)
    }

    @Test func `a recovery with a proof binds its session to the key`() async throws {
        let proof = try scene.proof(key, path: "/a/self-service/recovery")
        let token = try scene.token(try await scene.enter(.recovery, with: DeviceScene.phone, proof: proof))
        #expect(try await scene.enrol(try SigningKey.generate(), token: token).status == 409)
        #expect(try await scene.enrol(key, token: token).status == 200)
    }

    @Test func `a registration with a proof binds its session to the key`() async throws {
        let scene = try await DeviceScene()
        let token = try await scene.register(proof: try scene.proof(key, path: "/a" + Route.registration))
        #expect(try await scene.enrol(try SigningKey.generate(), token: token).status == 409)
        #expect(try await scene.enrol(key, token: token).status == 200)
    }

    @Test func `twenty certificates a day are issued to a session`() async throws {
        let token = try scene.token(try await scene.logIn())
        for _ in 1...20 { #expect(try await scene.enrol(key, token: token).status == 200) }
        let refused = try await scene.enrol(key, token: token)
        #expect(refused.status == 429)
        #expect(refused.response.headers["Retry-After"] == "86400")
        // Other sessions of the account have their own limit.
        let other = try scene.token(try await scene.logIn())
        #expect(try await scene.enrol(key, token: other).status == 200)
        scene.server.time.advance(by: .seconds(86_400))
        #expect(try await scene.enrol(key, token: token).status == 200)
    }

    @Test func `the audit log contains enrolments and renewals with their serial numbers`() async throws {
        let token = try scene.token(try await scene.logIn())
        var serials: [String?] = []
        for _ in 1...2 {
            scene.server.time.advance(by: .seconds(1))
            serials.append(try await scene.enrol(key, token: token)["serialNumber"]?.text)
        }
        _ = try await scene.enrol(try SigningKey.generate(), token: token)
        let events = try await scene.events().filter {
            [.deviceEnrolled, .certificateRenewed].contains($0.deed)
        }
        #expect(events.map(\.deed) == [.deviceEnrolled, .certificateRenewed])
        #expect(events.map(\.subject) == serials)
        #expect(events.allSatisfy { $0.actor == .person })
    }
}

@Suite("Notices of new devices", .onEachDatabase)
struct DeviceNoticeTests {
    private func enrol(_ scene: DeviceScene) async throws {
        let token = try scene.token(try await scene.logIn())
        #expect(try await scene.enrol(try SigningKey.generate(), token: token).status == 200)
    }

    @Test func `are not sent for the device of the sign-up`() async throws {
        let scene = try await DeviceScene()
        let key = try SigningKey.generate()
        let token = try await scene.register()
        for _ in 1...2 { #expect(try await scene.enrol(key, token: token).status == 200) }
        #expect(try await scene.deviceNotices().isEmpty)
    }

    @Test func `are sent as one text message a day if no mail address is proven`() async throws {
        let scene = try await DeviceScene()
        _ = try await scene.register()
        for _ in 1...3 {
            try await scene.messagesAreSent()
            scene.server.time.advance(by: .seconds(1))
            try await enrol(scene)
        }
        #expect(try await scene.deviceNotices() == [DeviceScene.phone])
        let withheld = try await scene.events().filter { $0.deed == .noticeWithheld }
        #expect(withheld.map(\.subject) == ["device_added", "device_added"])
        try await scene.messagesAreSent()
        scene.server.time.advance(by: .seconds(86_400))
        try await enrol(scene)
        #expect(try await scene.deviceNotices() == [DeviceScene.phone, DeviceScene.phone])
    }

    @Test func `are sent by mail alone if a mail address is proven`() async throws {
        let scene = try await DeviceScene(schema: "person")
        let token = try await scene.register()
        for address in [DeviceScene.phone, DeviceScene.mail] {
            let verified = try await scene.enter(.verification, with: address, token: token)
            #expect(verified["state"] == "passed_challenge")
        }
        for _ in 1...2 { try await enrol(scene) }
        #expect(try await scene.deviceNotices() == [DeviceScene.mail, DeviceScene.mail])
    }

    @Test func `are not sent for renewals`() async throws {
        let scene = try await DeviceScene()
        _ = try await scene.register()
        scene.server.time.advance(by: .seconds(1))
        let key = try SigningKey.generate()
        let token = try scene.token(try await scene.logIn())
        for _ in 1...3 { _ = try await scene.enrol(key, token: token) }
        #expect(try await scene.deviceNotices().count == 1)
    }
}
