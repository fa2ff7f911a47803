import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import LatchkeyCore

@Suite struct `Renewal date of a certificate` {
    private static let now = Timestamp(seconds: 1_772_352_000)
    private static let day: Int64 = 86_400

    /// The days from now at which the certificate was received and expires, and whether it is due.
    @Test(arguments: [
        (-1, 2, false), (-2, 1, true), (-3, 0, true), (-10, -5, true),
        // The device's clock was ahead when the certificate was received.
        (1, 2, true), (400, 30, true),
    ])
    func `A certificate is due after two thirds of its lifetime, and if its lifetime is unknown`(
        received: Int64,
        expires: Int64,
        isDue: Bool
    ) {
        let certificate = DeviceCertificate(
            pem: "",
            chain: [],
            serialNumber: "",
            certifiedAt: Self.now + .seconds(received * Self.day),
            notAfter: Self.now + .seconds(expires * Self.day)
        )
        #expect(certificate.isRenewalDue(at: Self.now) == isDue)
        #expect(certificate.renewalDate <= certificate.notAfter)
    }
}

@Suite(.timeLimit(.minutes(10))) struct `Certificate renewal` {
    private static let life = Duration.seconds(90 * 86_400)

    /// Returns a device whose certificate is valid for 90 days.
    private func device() async throws -> TestEngine {
        let device = try TestEngine()
        device.server.set(notAfter: (device.time.now + Self.life).description)
        _ = try await device.logIn()
        device.server.forgetRequests()
        return device
    }

    @Test func `A certificate is renewed after two thirds of its lifetime`() async throws {
        let device = try await device()

        device.time.advance(by: .seconds(60 * 86_400 - 1))
        _ = try await device.engine.check()
        #expect(!device.server.log.contains(TestEngine.certificates))

        device.time.advance(by: .seconds(1))
        _ = try await device.engine.check()
        #expect(device.server.log.last == TestEngine.certificates)
    }

    @Test func `A renewed certificate has the same key and is stored`() async throws {
        let device = try await device()
        let renewed = device.time.now + Self.life * 2
        device.time.advance(by: .seconds(61 * 86_400))
        device.server.set(notAfter: renewed.description)

        _ = try await device.engine.check()

        #expect(device.server.requests.last?.certifies(key: 1) == true)
        #expect(device.keys.living == [1])
        let restarted = try device.restarted()
        await restarted.engine.keeper.ready()
        #expect(restarted.engine.keeper.held?.stored.certificate?.notAfter == renewed)
    }

    @Test func `A failed renewal is retried by the next check`() async throws {
        let device = try await device()
        device.time.advance(by: .seconds(61 * 86_400))
        device.server.plan(TestEngine.certificates, .fail(.unreachable))

        #expect(try await device.engine.check().session != nil)
        #expect(try await device.engine.check().session != nil)

        #expect(device.server.log.filter { $0 == TestEngine.certificates }.count == 2)
    }

    @Test func `The user is signed out if a renewal fails because the session has ended`() async throws {
        let device = try await device()
        device.time.advance(by: .seconds(61 * 86_400))
        device.server.plan(TestEngine.certificates, .respond(.refusal(401, "session_inactive")))

        #expect(try await device.engine.check().session == nil)
        #expect(device.isClean)
    }

    @Test(arguments: [
        HTTP.Response.refusal(401), .json(401, #"{"error":{"code":401,"status":"Unauthorized"}}"#),
        .json(401, #"{"error":{"code":401,"status":"UNAUTHENTICATED"}}"#), HTTP.Response(401),
    ])
    func `A 401 from an intermediary during renewal doesn't end the session`(
        _ answer: HTTP.Response
    ) async throws {
        let device = try await device()
        device.time.advance(by: .seconds(61 * 86_400))
        device.server.plan(TestEngine.certificates, .respond(answer))

        #expect(try await device.engine.check().session != nil)
    }

    @Test func `Requests don't wait for a renewal that gets no response`() async throws {
        let device = try await device()
        device.time.advance(by: .seconds(61 * 86_400))
        device.server.hold(TestEngine.certificates)

        for _ in 1...60 {
            #expect(try await device.ask().status == 404)
            device.time.advance(by: .seconds(60))
        }

        device.server.release()
        await device.maintenanceEnds()
        #expect(device.server.log.count { $0 == TestEngine.certificates } == 1)
        #expect(device.engine.keeper.held != nil)
    }

    @Test func `A failed renewal is retried after pauses that grow from a minute to an hour`() async throws {
        let device = try await device()
        device.time.advance(by: .seconds(61 * 86_400))
        device.server.respond(to: TestEngine.certificates, with: HTTP.Response(503))

        for _ in 1...(24 * 60) {
            _ = try await device.ask()
            await device.maintenanceEnds()
            device.time.advance(by: .seconds(60))
        }

        let attempts = device.server.log.count { $0 == TestEngine.certificates }
        #expect((24...30).contains(attempts))
    }

    @Test func `A fast clock doesn't cause a renewal with every request`() async throws {
        let device = try await device()
        device.time.stepWallClock(by: .seconds(200 * 86_400))

        for _ in 1...(24 * 60) {
            _ = try await device.ask()
            await device.maintenanceEnds()
            device.time.advance(by: .seconds(60))
        }

        let renewals = device.server.log.count { $0 == TestEngine.certificates }
        #expect((24...30).contains(renewals))
    }

    @Test func `A failed renewal doesn't delay renewal in the next session`() async throws {
        let device = try await device()
        device.time.advance(by: .seconds(61 * 86_400))
        device.server.plan(TestEngine.certificates, .respond(HTTP.Response(503)))
        _ = try await device.ask()
        await device.maintenanceEnds()

        device.server.set(notAfter: (device.time.now + .seconds(30)).description)
        _ = try await device.logIn()
        device.server.forgetRequests()
        device.time.advance(by: .seconds(20))
        _ = try await device.ask()
        await device.maintenanceEnds()

        #expect(device.server.log.contains(TestEngine.certificates))
    }

    @Test func `Concurrent checks renew the certificate only once`() async throws {
        let device = try await device()
        device.server.set(notAfter: (device.time.now + Self.life * 2).description)
        device.time.advance(by: .seconds(61 * 86_400))
        device.server.during(TestEngine.certificates) {
            #expect(device.engine.keeper.keeperState.withLock { $0.isRenewing })
        }

        await withTaskGroup { group in
            for _ in 1...8 { group.addTask { await device.engine.check.renewCertificate() } }
        }

        #expect(device.server.log == [TestEngine.certificates])
    }

    @Test func `A renewal doesn't restore a session that has ended in the meantime`() async throws {
        let device = try await device()
        device.time.advance(by: .seconds(61 * 86_400))
        device.server.during(TestEngine.certificates) { _ = device.engine.keeper.signOut() }

        await device.engine.check.renewCertificate()

        #expect(device.isClean)
    }
}

extension TestEngine {
    /// Sends a request to the app's own API.
    fileprivate func ask() async throws -> HTTP.Response {
        try await engine.requests.send(HTTP.Request(.get, "/me"), to: "https://api.example.com")
    }
}
