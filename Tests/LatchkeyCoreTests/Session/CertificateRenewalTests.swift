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

    @Test func `is made once when many ask together`() async throws {
        let device = try await device()
        device.server.set(notAfter: (device.time.now + Self.life * 2).description)
        device.time.advance(by: .seconds(61 * 86_400))
        device.server.during(Device.certificates) {
            #expect(device.engine.keeper.books.withLock { $0.isRenewing })
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
