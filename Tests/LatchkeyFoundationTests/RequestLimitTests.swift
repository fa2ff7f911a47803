import Foundation
import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import LatchkeyFoundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct `Limits of the app's requests` {
    /// A transport that records the limits of all requests to the app's API.
    private final class LimitRecorder: Transport {
        private let base: any Transport
        private let recorded = Locked<[RequestLimits]>([])

        init(_ base: any Transport) {
            self.base = base
        }

        var limits: [RequestLimits] { recorded.withLock { $0 } }

        func send(
            _ request: HTTP.Request,
            to origin: String,
            limits: RequestLimits
        ) async throws(TransportError) -> HTTP.Response {
            if origin == `Limits of the app's requests`.api { recorded.withLock { $0.append(limits) } }
            return try await base.send(request, to: origin, limits: limits)
        }
    }

    private static let api = "https://api.example.com"

    /// Returns a client with a logged-in customer, its transport, and the server.
    private func client() async throws -> (LatchkeyClient, LimitRecorder, TestServer) {
        let server = try await TestServer()
        try await server.addCustomer(phone: TestAccount.phone, passcode: TestAccount.passcode)
        let device = TestDevice(server)
        device.network.serve(Self.api) { _ in HTTP.Response(200) }
        let recorder = LimitRecorder(device.network)
        let client = try LatchkeyClient(
            server: TestServer.url,
            app: "com.example.app",
            apiOrigins: [Self.api]
        ) {
            $0.store = device.store
            $0.transport = recorder
            $0.languages = []
            $0.time = device.clock
        }
        try await client.signIn(phone: TestAccount.phone, password: TestAccount.passcode)
        return (client, recorder, server)
    }

    @Test func `An app can limit the time and the size of each request`() async throws {
        let (client, recorder, server) = try await client()
        let limits = RequestLimits(timeout: .seconds(3), bodyLimit: 5 << 20)
        let url = try #require(URL(string: Self.api + "/me"))
        var request = URLRequest(url: url)
        request.timeoutInterval = 7

        _ = try await client.data(from: Self.api + "/me", limits: limits)
        _ = try await client.data(from: url, limits: limits)
        _ = try await client.data(for: request, limits: limits)
        _ = try await client.send(HTTP.Request(.get, "/me"), to: Self.api, limits: limits)
        _ = try await client.withSession(.never) { access in
            try await access.send(HTTP.Request(.get, "/me"), to: Self.api, limits: limits)
        }
        #expect(recorder.limits == Array(repeating: limits, count: 5))

        _ = try await client.data(from: Self.api + "/me")
        _ = try await client.data(for: request, limits: RequestLimits(bodyLimit: 10))
        #expect(
            recorder.limits.suffix(2) == [
                RequestLimits(), RequestLimits(timeout: .seconds(7), bodyLimit: 10),
            ]
        )
        await server.stop()
    }

    @Test(
        arguments: [
            (7.5, .milliseconds(7500)), (86_400, .seconds(86_400)),
            (24 * 86_400, RequestLimits.noTimeout), (1e20, RequestLimits.noTimeout),
            (.greatestFiniteMagnitude, RequestLimits.noTimeout), (.infinity, RequestLimits.noTimeout),
            (0, nil), (-0.0, nil), (-1, nil), (-.infinity, nil), (.nan, nil), (.signalingNaN, nil),
        ] as [(TimeInterval, Duration?)]
    )
    func `Any timeoutInterval is converted to a time limit`(interval: TimeInterval, limit: Duration?) {
        #expect(RequestLimits.timeout(interval) == limit)
    }

    @Test(arguments: [TimeInterval.infinity, .greatestFiniteMagnitude, -.infinity, .nan, 0])
    func `A request with any timeoutInterval is sent`(interval: TimeInterval) async throws {
        let (client, recorder, server) = try await client()
        var request = URLRequest(url: try #require(URL(string: Self.api + "/me")))
        request.timeoutInterval = interval

        let (_, response) = try await client.data(for: request)

        #expect(response.statusCode == 200 && recorder.limits.count == 1)
        await server.stop()
    }
}
