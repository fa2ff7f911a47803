import LatchkeyCore
public import LatchkeyWire

/// Conformance checks for implementations of `Transport`.
///
/// A server on the loopback interface responds to the requests, and a second server counts connections that
/// must not be made. The checks work with any test framework: just assert that ``violations()`` is empty.
///
/// The checks always use real sockets, even if the transport itself doesn't. TLS is not checked, because the
/// test servers don't have certificates.
public struct TransportConformance: Sendable {
    /// A closure that responds to requests to an origin.
    public typealias Responder = @Sendable (HTTP.Request) async -> HTTP.Response

    /// A closure that opens a transport.
    ///
    /// If the transport uses the network, a server listens at the origin. Otherwise, the transport must pass
    /// requests for the origin to the responder.
    ///
    /// The closure is called once each time the checks run. If the closure throws an error, that error is the
    /// only violation that is reported.
    public typealias Opening =
        @Sendable (_ origin: String, _ responder: @escaping Responder) throws -> any Transport

    /// A kind of valid request that a transport may reject with `invalidRequest` because its underlying
    /// library can't send it unchanged.
    public enum Exemption: Hashable, Sendable {
        /// Paths that contain the segments `.` or `..`.
        case dotSegments
        /// `GET` requests with a body.
        case bodiesOfGET
    }

    private let open: Opening
    private let bodyLimit: Int?
    private let exemptions: Set<Exemption>
    private let hasVirtualTime: Bool

    /// How long the checks wait for a streamed exchange.
    var patience: Duration = .seconds(60)

    /// Creates the checks.
    ///
    /// - Parameters:
    ///   - bodyLimit: The maximum size of a response body that the transport accepts, in bytes, or `nil` if
    ///     there is no limit.
    ///   - exemptions: The kinds of valid requests that the transport rejects instead of sending them.
    ///   - hasVirtualTime: Whether the transport measures its time limits with a virtual clock. They are then
    ///     not checked.
    ///   - open: A closure that opens the transport.
    public init(
        bodyLimit: Int? = nil,
        exemptions: Set<Exemption> = [],
        hasVirtualTime: Bool = false,
        _ open: @escaping Opening
    ) {
        self.open = open
        self.bodyLimit = bodyLimit
        self.exemptions = exemptions
        self.hasVirtualTime = hasVirtualTime
    }

    /// Runs all checks.
    ///
    /// The checks run one after the other on the same transport. If a check throws an error, the error is
    /// reported as part of the violation. Streams are only checked if the transport is a `StreamingTransport`.
    ///
    /// - Returns: One sentence for each requirement that the transport violates.
    public func violations() async -> [String] {
        await run(
            confinement + exchanges + failures + (hasVirtualTime ? [] : Self.timeLimits),
            streams: Self.streams
        )
    }

    /// Runs only the checks for requests that must be rejected, for transports whose responses don't come
    /// from the server.
    ///
    /// - Returns: One sentence for each requirement that the transport violates.
    public func confinementViolations() async -> [String] {
        await run(confinement)
    }

    /// Runs the given checks with a newly created fixture.
    ///
    /// The recorded requests and the responder are reset before each check. The checks of streams are left out
    /// if the transport can't stream.
    private func run(_ checks: [Check], streams: [Check] = []) async -> [String] {
        do {
            let fixture = try TransportFixture(patience: patience, open)
            var violations: [String] = []
            for check in checks + (fixture.transport.deliversParts ? streams : []) {
                fixture.reset()
                do {
                    guard let reason = try await check.run(fixture) else { continue }
                    violations.append("\(check.requirement) \(reason)")
                } catch {
                    violations.append("\(check.requirement) The check failed: \(error)")
                }
            }
            await fixture.close()
            return violations
        } catch {
            return ["The checks cannot run: \(error)"]
        }
    }

    /// A requirement, and a check that returns a description of the violation or `nil` if the requirement is
    /// met.
    struct Check: Sendable {
        let requirement: String
        let run: @Sendable (TransportFixture) async throws -> String?
    }

    private var confinement: [Check] {
        [
            Check(
                requirement:
                    "A request that could reach another server or contain a second request is rejected and not sent.",
                run: Self.refusesHostileRequests
            )
        ]
    }

    private var exchanges: [Check] {
        [
            Check(requirement: "Redirects are returned and not followed.", run: Self.followsNoRedirects),
            Check(
                requirement: "Method, path, query, header fields and body are transmitted unchanged."
            ) { [exemptions] fixture in
                try await Self.sendsWhatIsGiven(fixture, exemptions: exemptions)
            },
            Check(requirement: "No credentials are added.", run: Self.addsNoCredentials),
            Check(requirement: "Cookies are not stored.", run: Self.keepsNoCookies),
            Check(
                requirement: "A response with any status is returned with its header fields and body.",
                run: Self.bringsAnswers
            ),
        ]
    }

    private var failures: [Check] {
        [
            Check(
                requirement: "An unreachable server results in an error whose neverSent is true.",
                run: Self.reportsUnreachableServers
            ),
            Check(
                requirement: "A cancelled request fails with the code cancelled.",
                run: Self.canBeCancelled
            ),
            Check(requirement: "A response body is accepted up to the size limit, and rejected beyond it.") {
                [bodyLimit] fixture in
                try await Self.limitsBodies(to: bodyLimit, fixture: fixture)
            },
            Check(
                requirement: "The limits of a request override those of the transport.",
                run: Self.obeysLimits
            ),
        ]
    }

    // MARK: Destinations

    /// Checks that each hostile request fails with `invalidRequest` and `neverSent`, and that there is no
    /// connection to the second server.
    @Sendable private static func refusesHostileRequests(_ fixture: TransportFixture) async throws -> String?
    {
        for hostile in HostileRequest.all(server: fixture.port, foreign: fixture.foreign.port) {
            guard let error = await fixture.failure(hostile.request, to: hostile.origin) else {
                return "The request was sent: \(hostile)."
            }
            guard error.code == .invalidRequest, error.neverSent else {
                return "The error was \(error.code), neverSent \(error.neverSent): \(hostile)."
            }
            guard fixture.requests.isEmpty, fixture.foreign.connectionCount == 0 else {
                return "A server received the request: \(hostile)."
            }
        }
        return nil
    }

    /// Checks all five redirect status codes, with targets on the same server and on another one, and without a
    /// usable target.
    @Sendable private static func followsNoRedirects(_ fixture: TransportFixture) async throws -> String? {
        let targets = [
            "http://127.0.0.1:\(fixture.foreign.port)/x", "//127.0.0.1:\(fixture.foreign.port)/x", "/other",
            "http://[", nil,
        ]
        for status in [301, 302, 303, 307, 308] {
            for target in targets {
                fixture.reset { _ in
                    HTTP.Response(status, headers: target.map { ["Location": $0] } ?? [:])
                }
                let request = HTTP.Request(
                    .post,
                    "/",
                    headers: ["Authorization": "Bearer token", "X-Session-Token": "token", "Cookie": "a=b"],
                    body: [1]
                )
                let answer = try await fixture.transport.send(request, to: fixture.origin)
                guard answer.status == status, answer.headers["Location"] == target else {
                    return "The response to the redirect \(status) had status \(answer.status)."
                }
                guard fixture.requests.count == 1, fixture.foreign.connectionCount == 0 else {
                    return "The client followed the redirect \(status) to \(target ?? "no target")."
                }
            }
        }
        return nil
    }

    // MARK: Requests and responses

    /// Checks that requests with five methods and bodies of up to 40,000 bytes are sent unchanged.
    ///
    /// The path contains dot segments and an encoded slash, which the transport must not normalize.
    @Sendable private static func sendsWhatIsGiven(
        _ fixture: TransportFixture,
        exemptions: Set<Exemption>
    ) async throws -> String? {
        if exemptions.contains(.dotSegments) {
            let request = HTTP.Request(.get, "/a/../b")
            guard await fixture.failure(request, to: fixture.origin)?.code == .invalidRequest else {
                return "A path with dot segments was not rejected."
            }
        }
        let path = exemptions.contains(.dotSegments) ? "/a/b%2F;c=@d" : "/a/../b%2F;c=@d"
        let bodies: [[UInt8]] = [[], [0], Array(0...255), Array(repeating: 0xA5, count: 40_000)]
        for method in [HTTP.Method.get, .post, .put, .patch, .delete] {
            for body in bodies {
                fixture.reset()
                let request = HTTP.Request(
                    method,
                    path,
                    query: "x=%20&y=?/",
                    headers: ["X-One": "1", "X-Long": String(repeating: "y", count: 2000)],
                    body: body
                )
                if method == .get, !body.isEmpty, exemptions.contains(.bodiesOfGET) {
                    guard await fixture.failure(request, to: fixture.origin)?.code == .invalidRequest else {
                        return "A GET request with a body was not rejected."
                    }
                    continue
                }
                _ = try await fixture.transport.send(request, to: fixture.origin)
                guard let received = fixture.requests.first, fixture.requests.count == 1 else {
                    return "The server received \(fixture.requests.count) requests."
                }
                guard
                    received.method == method, received.path == request.path, received.query == request.query,
                    received.body == body,
                    request.headers.fields.allSatisfy({ received.headers.all($0.name) == [$0.value] })
                else { return "\(method.rawValue) with a \(body.count)-byte body was altered in transit." }
            }
        }
        return nil
    }

    /// Checks the header fields `Authorization`, `Cookie`, `DPoP`, `Proxy-Authorization` and
    /// `X-Session-Token`.
    @Sendable private static func addsNoCredentials(_ fixture: TransportFixture) async throws -> String? {
        _ = try await fixture.transport.send(HTTP.Request(.get, "/"), to: fixture.origin)
        let credentials = ["Authorization", "Cookie", "DPoP", "Proxy-Authorization", "X-Session-Token"]
        let added = credentials.filter { fixture.requests.first?.headers[$0] != nil }
        return added.isEmpty ? nil : "The request contained \(added.joined(separator: ", "))."
    }

    /// Checks that the second request doesn't contain a cookie from the first response.
    @Sendable private static func keepsNoCookies(_ fixture: TransportFixture) async throws -> String? {
        fixture.reset { _ in HTTP.Response(200, headers: ["Set-Cookie": "a=b; Path=/"]) }
        for _ in 1...2 { _ = try await fixture.transport.send(HTTP.Request(.get, "/"), to: fixture.origin) }
        return fixture.requests.allSatisfy { $0.headers["Cookie"] == nil } ? nil : "A cookie was sent back."
    }

    /// Checks ten status codes for success and failure.
    ///
    /// Header field names are compared case-insensitively.
    @Sendable private static func bringsAnswers(_ fixture: TransportFixture) async throws -> String? {
        let body = Array(UInt8.min...UInt8.max)
        for status in [200, 201, 400, 401, 404, 410, 418, 429, 500, 503] {
            var headers: HTTP.Headers = ["X-One": "1", "X-Two": "2"]
            // Some libraries would look for the user's password.
            if status == 401 { headers["WWW-Authenticate"] = "Basic realm=\"app\"" }
            fixture.reset { [headers] _ in HTTP.Response(status, headers: headers, body: body) }
            let answer = try await fixture.transport.send(HTTP.Request(.get, "/"), to: fixture.origin)
            guard
                answer.status == status, answer.body == body,
                answer.headers["x-one"] == "1", answer.headers["x-two"] == "2"
            else { return "The response with status \(status) was altered in transit." }
        }
        return nil
    }

    // MARK: Errors

    /// Sends a request with a body to a port that refuses connections.
    @Sendable private static func reportsUnreachableServers(_ fixture: TransportFixture) async throws
        -> String?
    {
        let error = await fixture.failure(HTTP.Request(.post, "/", body: [1]), to: fixture.emptyOrigin)
        guard let error else { return "A response was returned." }
        return error.code == .unreachable && error.neverSent
            ? nil : "The error was \(error.code), neverSent \(error.neverSent)."
    }

    /// Checks that a request can be cancelled before it is sent or while the server is processing it.
    ///
    /// A request that was cancelled beforehand must not be sent.
    @Sendable private static func canBeCancelled(_ fixture: TransportFixture) async throws -> String? {
        let early = Task {
            while !Task.isCancelled { await Task.yield() }
            return await fixture.failure(HTTP.Request(.get, "/"), to: fixture.origin)
        }
        early.cancel()
        guard await early.value?.code == .cancelled, fixture.requests.isEmpty else {
            return "The task was cancelled before the request."
        }
        let (begun, gate) = (OneShot<Void>(), ResponseGate())
        fixture.reset { _ in
            begun.set(())
            await gate.wait()
            return HTTP.Response(200)
        }
        let late = Task {
            defer { begun.set(()) }
            return await fixture.failure(HTTP.Request(.get, "/"), to: fixture.origin)
        }
        _ = await begun.value
        late.cancel()
        let error = await late.value
        gate.open()
        return error?.code == .cancelled
            ? nil : "The task was cancelled while the server processed the request."
    }

    /// Checks that a body is rejected because of the request's own limit.
    @Sendable private static func obeysLimits(fixture: TransportFixture) async throws -> String? {
        fixture.reset { _ in HTTP.Response(200, body: [UInt8](repeating: 0x78, count: 11)) }
        let request = HTTP.Request(.get, "/")
        for (limit, code) in [(11, TransportError.Code?.none), (10, .invalidResponse)] {
            let limits = RequestLimits(bodyLimit: limit)
            let error = await fixture.failure(request, to: fixture.origin, limits: limits)
            guard error?.code == code else {
                let outcome = error.map { "\($0.code)" } ?? "a response"
                return "With a limit of \(limit) bytes, a body of 11 bytes resulted in \(outcome)."
            }
        }
        return nil
    }

    /// Checks a body whose size is exactly the limit, and a body that is one byte longer.
    ///
    /// If there is no limit, only a body of 100,000 bytes is checked.
    @Sendable private static func limitsBodies(
        to limit: Int?,
        fixture: TransportFixture
    ) async throws -> String? {
        let accepted = [UInt8](repeating: 0x78, count: limit ?? 100_000)
        fixture.reset { _ in HTTP.Response(200, body: accepted) }
        let answer = try await fixture.transport.send(HTTP.Request(.get, "/"), to: fixture.origin)
        guard answer.body == accepted else { return "A \(accepted.count)-byte body was altered in transit." }
        guard let limit else { return nil }
        fixture.reset { _ in HTTP.Response(200, body: [UInt8](repeating: 0x78, count: limit + 1)) }
        let error = await fixture.failure(HTTP.Request(.get, "/"), to: fixture.origin)
        return error?.code == .invalidResponse && error?.neverSent == false
            ? nil : "A body of \(limit + 1) bytes resulted in \(error.map { "\($0.code)" } ?? "a response")."
    }
}
