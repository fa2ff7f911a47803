import LatchkeyCore
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

/// The reason why a login fails after its key has been created.
enum LoginFailure: CaseIterable, Sendable {
    case networkDown, refused, wrongSchema, noCertificate, storeFailure

    static let cases = WayIn.allCases.flatMap { way in LoginFailure.allCases.map { (way, $0) } }

    /// Returns the code of the error that the login is expected to throw.
    func code(of way: WayIn) -> LatchkeyError.Code {
        switch self {
        case .networkDown: .unreachable
        case .refused: .refused
        case .wrongSchema: way == .login ? .schemaMismatch : .accountCreated
        case .noCertificate: way == .login ? .refused : .accountCreated
        case .storeFailure: way == .login ? .storageFailed : .accountCreated
        }
    }
}

extension TestEngine {
    fileprivate func arrange(_ failure: LoginFailure) {
        switch failure {
        case .networkDown: planSubmission(.fail(.unreachable))
        case .refused: planSubmission(.respond(.refusal(400)))
        case .wrongSchema: server.set(schema: "business")
        case .noCertificate: server.plan(Self.certificates, .respond(.refusal(400, "csr_invalid")))
        case .storeFailure: store.fail(.write, with: SessionStoreError(.failed, message: "The disk is full."))
        }
    }

    private func planSubmission(_ step: FakeIdentityServer.Step) {
        server.plan("POST /a/self-service/login", step)
        server.plan("POST /a/self-service/registration", step)
    }
}

@Suite(.timeLimit(.minutes(10))) struct `Device keys of new logins` {
    @Test(arguments: WayIn.allCases)
    func `The password request contains a proof signed with the key that is enrolled later`(_ way: WayIn)
        async throws
    {
        let device = try await TestEngine.loggedIn()

        #expect(await way.run(on: device).error == nil)

        let request = try #require(device.server.requests.first { $0.method == .post })
        #expect(request.headers.all("DPoP").count == 1)
        let parts = try #require(request.headers["DPoP"]).split(separator: ".")
        let header = try JSONCoding.decode(JSONValue.self, from: #require(Base64URL.decode(parts[0])))
        let payload = try JSONCoding.decode(JSONValue.self, from: #require(Base64URL.decode(parts[1])))
        #expect(header["jwk"]?["x"]?.text == Base64URL.encode([UInt8](repeating: 2, count: 32)))
        #expect(Base64URL.decode(parts[2]) == FakeDeviceKeys.signature(by: 2))
        #expect(payload["htm"]?.text == "POST")
        #expect(payload["htu"]?.text == FakeIdentityServer.origin + request.path)
        #expect(payload["iat"] == .integer(device.time.now.seconds))
        #expect(device.server.requests.last?.certifies(key: 2) == true)
        #expect(device.engine.keeper.held?.stored.key.exposed == [2])
        #expect(device.keys.living == [2])
    }

    @Test func `Only the password request contains a proof`() async throws {
        let device = try TestEngine()

        _ = try await device.logIn()
        _ = try await device.engine.check()

        #expect(device.server.requests.map { $0.headers["DPoP"] != nil } == [false, true, false, false])
    }

    @Test(arguments: LoginFailure.cases)
    func `A failed login removes its key exactly once`(_ way: WayIn, _ failure: LoginFailure) async throws {
        let device = try TestEngine()
        device.arrange(failure)

        let result = await way.run(on: device, onlyAs: "customer")

        #expect(result.code == failure.code(of: way))
        #expect(device.isClean)
        #expect(device.keys.removals == [1])
    }

    @Test(arguments: WayIn.allCases)
    func `The password isn't sent if the device key can't be created`(_ way: WayIn) async throws {
        let device = try TestEngine()
        device.keys.fail(with: DeviceKeyError(.failed, message: "There is no entropy."))

        let error = await way.run(on: device).error

        #expect(error?.code == .deviceKeyFailed)
        #expect(error?.message == "There is no entropy.")
        #expect(!device.server.log.contains { $0.hasPrefix("POST") })
        #expect(device.keys.removals == [])
    }

    @Test(arguments: WayIn.allCases)
    func `A key that can't sign is removed before the password is sent`(_ way: WayIn) async throws {
        let device = try TestEngine(keys: FakeDeviceKeys(isUsable: false))

        let error = await way.run(on: device).error

        #expect(error?.code == .deviceKeyFailed)
        #expect(!device.server.log.contains { $0.hasPrefix("POST") })
        #expect(device.isClean)
        #expect(device.keys.removals == [1])
    }
}
