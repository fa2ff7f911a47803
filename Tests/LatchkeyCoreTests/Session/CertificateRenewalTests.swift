import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import LatchkeyCore

@Suite(.timeLimit(.minutes(10))) struct `The renewal of a certificate` {
    private static let life = Duration.seconds(90 * 86_400)

    /// A device whose certificate lives for ninety days.
    private func device() async throws -> Device {
        let device = try Device()
        device.server.set(notAfter: (device.time.now + Self.life).description)
        _ = try await device.logIn()
        device.server.forgetRequests()
        return device
    }

    @Test func `comes at two thirds of its life and not before`() async throws {
        let device = try await device()

        device.time.advance(by: .seconds(60 * 86_400 - 1))
        _ = try await device.engine.check()
        #expect(!device.server.log.contains(Device.certificates))

        device.time.advance(by: .seconds(1))
        _ = try await device.engine.check()
        #expect(device.server.log.last == Device.certificates)
    }

    @Test func `uses the same key and is kept`() async throws {
        let device = try await device()
        let renewed = device.time.now + Self.life * 2
        device.time.advance(by: .seconds(61 * 86_400))
        device.server.set(notAfter: renewed.description)

        _ = try await device.engine.check()

        #expect(device.server.requests.last?.text.contains("CSR of key 1 ") == true)
        #expect(device.keys.living == [1])
        let restarted = try device.restarted()
        await restarted.engine.keeper.ready()
        #expect(restarted.engine.keeper.held?.stored.certificate.notAfter == renewed)
    }

    @Test func `that fails is tried again by the next check`() async throws {
        let device = try await device()
        device.time.advance(by: .seconds(61 * 86_400))
        device.server.plan(Device.certificates, .fail(.unreachable))

        #expect(try await device.engine.check().session != nil)
        #expect(try await device.engine.check().session != nil)

        #expect(device.server.log.filter { $0 == Device.certificates }.count == 2)
    }

    @Test func `that the server answers with the end of the session ends it`() async throws {
        let device = try await device()
        device.time.advance(by: .seconds(61 * 86_400))
        device.server.plan(Device.certificates, .answer(.refusal(401, "session_inactive")))

        #expect(try await device.engine.check().session == nil)
        #expect(device.isClean)
    }

    @Test(arguments: [
        HTTPResponse.refusal(401), .json(401, #"{"error":{"code":401,"status":"Unauthorized"}}"#),
        .json(401, #"{"error":{"code":401,"status":"UNAUTHENTICATED"}}"#), HTTPResponse(401),
    ])
    func `that is answered with 401 but not by the identity server leaves the session`(
        _ answer: HTTPResponse
    ) async throws {
        let device = try await device()
        device.time.advance(by: .seconds(61 * 86_400))
        device.server.plan(Device.certificates, .answer(answer))

        #expect(try await device.engine.check().session != nil)
    }

    @Test func `does not delay the app's requests while the identity server gives no answer`() async throws {
        let device = try await device()
        device.time.advance(by: .seconds(61 * 86_400))
        device.server.hold(Device.certificates)

        for _ in 1...60 {
            #expect(try await device.ask().status == 404)
            device.time.advance(by: .seconds(60))
        }

        device.server.release()
        await device.maintenanceEnds()
        #expect(device.server.log.count { $0 == Device.certificates } == 1)
        #expect(device.engine.keeper.held != nil)
    }

    @Test func `that fails is tried again after pauses of a minute to an hour`() async throws {
        let device = try await device()
        device.time.advance(by: .seconds(61 * 86_400))
        device.server.answer(Device.certificates, HTTPResponse(503))

        for _ in 1...(24 * 60) {
            _ = try await device.ask()
            await device.maintenanceEnds()
            device.time.advance(by: .seconds(60))
        }

        let attempts = device.server.log.count { $0 == Device.certificates }
        #expect((24...30).contains(attempts))
    }

    @Test func `is not repeated by every request when the clock is ahead of every certificate`() async throws
    {
        let device = try await device()
        device.time.stepWallClock(by: .seconds(200 * 86_400))

        for _ in 1...(24 * 60) {
            _ = try await device.ask()
            await device.maintenanceEnds()
            device.time.advance(by: .seconds(60))
        }

        let renewals = device.server.log.count { $0 == Device.certificates }
        #expect((24...30).contains(renewals))
    }

    @Test func `by another login begins without a pause`() async throws {
        let device = try await device()
        device.time.advance(by: .seconds(61 * 86_400))
        device.server.plan(Device.certificates, .answer(HTTPResponse(503)))
        _ = try await device.ask()
        await device.maintenanceEnds()

        device.server.set(notAfter: (device.time.now + .seconds(30)).description)
        _ = try await device.logIn()
        device.server.forgetRequests()
        device.time.advance(by: .seconds(20))
        _ = try await device.ask()
        await device.maintenanceEnds()

        #expect(device.server.log.contains(Device.certificates))
    }

    @Test func `is made once when many ask together`() async throws {
        let device = try await device()
        device.server.set(notAfter: (device.time.now + Self.life * 2).description)
        device.time.advance(by: .seconds(61 * 86_400))
        device.server.during(Device.certificates) {
            #expect(device.engine.keeper.keeperState.withLock { $0.isRenewing })
        }

        await withTaskGroup { group in
            for _ in 1...8 { group.addTask { await device.engine.check.renewCertificate() } }
        }

        #expect(device.server.log == [Device.certificates])
    }

    @Test func `does not bring back a session that ended meanwhile`() async throws {
        let device = try await device()
        device.time.advance(by: .seconds(61 * 86_400))
        device.server.during(Device.certificates) { _ = device.engine.keeper.signOut() }

        await device.engine.check.renewCertificate()

        #expect(device.isClean)
    }
}

extension Device {
    /// Sends a request of the app.
    fileprivate func ask() async throws -> HTTPResponse {
        try await engine.requests.send(HTTPRequest(.get, "/me"), to: "https://api.example.com")
    }
}
