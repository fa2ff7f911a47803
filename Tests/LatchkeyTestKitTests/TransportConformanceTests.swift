import LatchkeyCore
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire
import Testing

@testable import LatchkeyTestKit

@Suite(.timeLimit(.minutes(10))) struct `Transport conformance checks` {
    @Sendable private static func inProcess(
        _ origin: String,
        responder: @escaping TransportConformance.Responder
    ) -> TestTransport {
        let transport = TestTransport(origin: "http://id.test", time: VirtualTime()) { nil }
        transport.serve(origin, with: responder)
        return transport
    }

    @Test func `The test transport passes the checks`() async {
        let violations = await TransportConformance(bodyLimit: 1 << 20, hasVirtualTime: true) {
            Self.inProcess($0, responder: $1)
        }
        .violations()

        #expect(violations == [])
    }

    @Test(arguments: [
        (TransportFault.sendsAnything, "A request that could reach another server"),
        (.sendsAndRefuses, "A request that could reach another server"),
        (.followsRedirects, "Redirects are returned"), (.keepsCookies, "Cookies are not stored"),
        (.addsCredentials, "No credentials are added"), (.losesQueries, "Method, path, query"),
        (.throwsForErrors, "A response with any status"), (.ignoresCancellation, "A cancelled request"),
        (.hidesUnreachableServers, "An unreachable server"),
        (.cutsBodies, "A response body is accepted up to the size limit"),
        (.ignoresLimits, "The limits of a request"),
    ])
    func `The checks detect each kind of faulty transport`(_ fault: TransportFault, _ promise: String) async {
        let violations = await TransportConformance(hasVirtualTime: true) { origin, responder in
            FaultyTransport(base: Self.inProcess(origin, responder: responder), server: origin, fault: fault)
        }.violations()

        #expect(violations.count == 1, "\(violations)")
        #expect(violations.first?.hasPrefix(promise) == true, "\(violations)")
    }

    @Test func `The checks detect a response body that exceeds the limit`() async {
        let violations = await TransportConformance(bodyLimit: 1000, hasVirtualTime: true) {
            Self.inProcess($0, responder: $1)
        }
        .violations()

        #expect(violations.map { $0.hasPrefix("A response body is accepted up to the size limit") } == [true])
    }
}

/// The requirement that a transport violates.
enum TransportFault: Sendable {
    case sendsAnything, sendsAndRefuses, followsRedirects, keepsCookies, addsCredentials, losesQueries
    case throwsForErrors, ignoresCancellation, hidesUnreachableServers, cutsBodies, ignoresLimits
}

/// A transport that violates one of the requirements.
private final class FaultyTransport: Transport {
    let base: TestTransport
    let server: String
    let fault: TransportFault
    private let cookie = Locked<String?>(nil)

    init(base: TestTransport, server: String, fault: TransportFault) {
        (self.base, self.server, self.fault) = (base, server, fault)
    }

    func send(
        _ request: HTTP.Request,
        to origin: String,
        limits: RequestLimits
    ) async throws(TransportError) -> HTTP.Response {
        var (request, limits) = (request, limits)
        switch fault {
        case .ignoresLimits: limits = RequestLimits()
        case .addsCredentials where request.headers["Authorization"] == nil: request.headers["DPoP"] = "proof"
        case .losesQueries where request.query?.contains("%20") == true: request.query = nil
        case .keepsCookies: request.headers["Cookie"] = request.headers["Cookie"] ?? cookie.withLock { $0 }
        default: break
        }
        var answer: HTTP.Response
        do throws(TransportError) {
            answer = try await base.send(request, to: origin, limits: limits)
        } catch {
            answer = try await outcome(of: error, request)
        }
        if let given = answer.headers["Set-Cookie"] { cookie.withLock { $0 = given } }
        switch fault {
        case .followsRedirects where answer.headers["Location"]?.hasPrefix("/") == true:
            return try await base.send(HTTP.Request(.get, "/other"), to: origin)
        case .throwsForErrors where answer.status >= 400:
            throw TransportError(.invalidResponse, message: "The status is \(answer.status).")
        case .cutsBodies where answer.body.count > 50_000: answer.body.removeLast()
        default: break
        }
        return answer
    }

    private func outcome(
        of error: TransportError,
        _ request: HTTP.Request
    ) async throws(TransportError) -> HTTP.Response {
        switch (fault, error.code) {
        case (.sendsAnything, .invalidRequest): return HTTP.Response(200)
        case (.sendsAndRefuses, .invalidRequest):
            _ = try await base.send(HTTP.Request(.get, "/"), to: server)
            throw error
        case (.ignoresCancellation, .cancelled):
            throw TransportError(.unreachable, message: "The connection broke.")
        case (.hidesUnreachableServers, .unreachable):
            throw TransportError(.timedOut, message: "The request timed out.")
        default: throw error
        }
    }
}
