public import LatchkeyCore
public import LatchkeyWire

/// Conformance checks for implementations of `Transport`.
///
/// One server on the loopback interface responds to the requests, and a second one counts connections that
/// must not occur. The checks work with any test framework: expect ``violations()`` to be empty.
public struct TransportConformance: Sendable {
    /// Responds to the requests to an origin.
    public typealias Responder = @Sendable (HTTPRequest) async -> HTTPResponse

    /// Opens a transport.
    ///
    /// A transport that uses the network reaches the server at the origin. For one that does not, requests to
    /// the origin must be answered by the responder.
    public typealias Opening =
        @Sendable (_ origin: String, _ responder: @escaping Responder) throws -> any Transport

    private let open: Opening
    private let bodyLimit: Int?

    /// Creates the checks.
    ///
    /// - Parameters:
    ///   - bodyLimit: The maximum size of a response body that the transport accepts, in bytes; `nil` for no
    ///     limit.
    ///   - open: Opens the transport.
    public init(bodyLimit: Int? = nil, _ open: @escaping Opening) {
        self.open = open
        self.bodyLimit = bodyLimit
    }

    /// Runs all checks.
    ///
    /// - Returns: One sentence for each requirement that the transport violates.
    public func violations() async -> [String] {
        await run(confinement + exchanges + failures)
    }

    /// Runs only the checks of requests that must be rejected, for transports whose responses are not the
    /// server's.
    ///
    /// - Returns: One sentence for each requirement that the transport violates.
    public func confinementViolations() async -> [String] {
        await run(confinement)
    }

    private func run(_ checks: [Check]) async -> [String] {
        do {
            let scene = try TransportScene(open)
            var violations: [String] = []
            for check in checks {
                scene.reset()
                do {
                    guard let reason = try await check.run(scene) else { continue }
                    violations.append("\(check.promise) \(reason)")
                } catch {
                    violations.append("\(check.promise) It failed: \(error)")
                }
            }
            await scene.close()
            return violations
        } catch {
            return ["The checks cannot run: \(error)"]
        }
    }

    /// A requirement and its check, which returns `nil` if it is met and otherwise describes the violation.
    private struct Check: Sendable {
        let promise: String
        let run: @Sendable (TransportScene) async throws -> String?
    }

    private var confinement: [Check] {
        [
            Check(
                promise: "A request that could go elsewhere, or carry another one, is refused and not sent.",
                run: Self.refusesHostileRequests
            )
        ]
    }

    private var exchanges: [Check] {
        [
            Check(promise: "Redirects are returned and not followed.", run: Self.followsNoRedirects),
            Check(
                promise: "Method, path, query, header fields and body arrive as they were given.",
                run: Self.sendsWhatIsGiven
            ),
            Check(promise: "No credentials are added.", run: Self.addsNoCredentials),
            Check(promise: "Cookies are not kept.", run: Self.keepsNoCookies),
            Check(
                promise: "Any status is an answer, with its header fields and its body.",
                run: Self.bringsAnswers
            ),
        ]
    }

    private var failures: [Check] {
        [
            Check(
                promise: "A server that cannot be reached is an error that says that nothing was sent.",
                run: Self.reportsUnreachableServers
            ),
            Check(promise: "A cancelled request ends with the code cancelled.", run: Self.canBeCancelled),
            Check(promise: "An answer is accepted up to the limit, and not beyond it.") { [bodyLimit] scene in
                try await Self.limitsBodies(to: bodyLimit, scene)
            },
        ]
    }

    // MARK: Destinations

    @Sendable private static func refusesHostileRequests(_ scene: TransportScene) async throws -> String? {
        for hostile in HostileRequest.all(server: scene.port, foreign: scene.foreign.port) {
            guard let error = await scene.failure(hostile.request, to: hostile.origin) else {
                return "It was sent: \(hostile)."
            }
            guard error.code == .invalidRequest, error.neverSent else {
                return "The error was \(error.code), neverSent \(error.neverSent): \(hostile)."
            }
            guard scene.requests.isEmpty, scene.foreign.connectionCount == 0 else {
                return "It arrived: \(hostile)."
            }
        }
        return nil
    }

    @Sendable private static func followsNoRedirects(_ scene: TransportScene) async throws -> String? {
        let targets = [
            "http://127.0.0.1:\(scene.foreign.port)/x", "//127.0.0.1:\(scene.foreign.port)/x", "/other",
        ]
        for status in [301, 302, 303, 307, 308] {
            for target in targets {
                scene.reset { _ in HTTPResponse(status, headers: ["Location": target]) }
                let request = HTTPRequest(
                    .post,
                    "/",
                    headers: ["Authorization": "Bearer token", "X-Session-Token": "token", "Cookie": "a=b"],
                    body: [1]
                )
                let answer = try await scene.transport.send(request, to: scene.origin)
                guard answer.status == status, answer.headers["Location"] == target else {
                    return "The answer to \(status) was \(answer.status)."
                }
                guard scene.requests.count == 1, scene.foreign.connectionCount == 0 else {
                    return "It was followed: \(status) to \(target)."
                }
            }
        }
        return nil
    }

    // MARK: Requests and responses

    @Sendable private static func sendsWhatIsGiven(_ scene: TransportScene) async throws -> String? {
        let bodies: [[UInt8]] = [[], [0], Array(0...255), Array(repeating: 0xA5, count: 40_000)]
        for method in [HTTPMethod.get, .post, .put, .patch, .delete] {
            for body in bodies {
                scene.reset()
                let request = HTTPRequest(
                    method,
                    "/a/../b%2F;c=@d",
                    query: "x=%20&y=?/",
                    headers: ["X-One": "1", "X-Long": String(repeating: "y", count: 2000)],
                    body: body
                )
                _ = try await scene.transport.send(request, to: scene.origin)
                guard let received = scene.requests.first, scene.requests.count == 1 else {
                    return "\(scene.requests.count) requests arrived."
                }
                guard
                    received.method == method, received.path == request.path, received.query == request.query,
                    received.body == body,
                    request.headers.fields.allSatisfy({ received.headers.all($0.name) == [$0.value] })
                else { return "\(method.rawValue) with \(body.count) bytes arrived otherwise." }
            }
        }
        return nil
    }

    @Sendable private static func addsNoCredentials(_ scene: TransportScene) async throws -> String? {
        _ = try await scene.transport.send(HTTPRequest(.get, "/"), to: scene.origin)
        let credentials = ["Authorization", "Cookie", "DPoP", "Proxy-Authorization", "X-Session-Token"]
        let added = credentials.filter { scene.requests.first?.headers[$0] != nil }
        return added.isEmpty ? nil : "It had \(added.joined(separator: ", "))."
    }

    @Sendable private static func keepsNoCookies(_ scene: TransportScene) async throws -> String? {
        scene.reset { _ in HTTPResponse(200, headers: ["Set-Cookie": "a=b; Path=/"]) }
        for _ in 1...2 { _ = try await scene.transport.send(HTTPRequest(.get, "/"), to: scene.origin) }
        return scene.requests.allSatisfy { $0.headers["Cookie"] == nil } ? nil : "One was sent back."
    }

    @Sendable private static func bringsAnswers(_ scene: TransportScene) async throws -> String? {
        let body = Array(UInt8.min...UInt8.max)
        for status in [200, 201, 400, 401, 404, 410, 418, 429, 500, 503] {
            scene.reset { _ in HTTPResponse(status, headers: ["X-One": "1", "X-Two": "2"], body: body) }
            let answer = try await scene.transport.send(HTTPRequest(.get, "/"), to: scene.origin)
            guard
                answer.status == status, answer.body == body,
                answer.headers["x-one"] == "1", answer.headers["x-two"] == "2"
            else { return "The answer \(status) came otherwise." }
        }
        return nil
    }

    // MARK: Errors

    @Sendable private static func reportsUnreachableServers(_ scene: TransportScene) async throws -> String? {
        let error = await scene.failure(HTTPRequest(.post, "/", body: [1]), to: scene.emptyOrigin)
        guard let error else { return "An answer came." }
        return error.code == .unreachable && error.neverSent
            ? nil : "The error was \(error.code), neverSent \(error.neverSent)."
    }

    @Sendable private static func canBeCancelled(_ scene: TransportScene) async throws -> String? {
        let early = Task {
            while !Task.isCancelled { await Task.yield() }
            return await scene.failure(HTTPRequest(.get, "/"), to: scene.origin)
        }
        early.cancel()
        guard await early.value?.code == .cancelled, scene.requests.isEmpty else {
            return "The task was cancelled before."
        }
        let (begun, gate) = (OneShot<Void>(), OneShot<Void>())
        scene.reset { _ in
            begun.set(())
            _ = await gate.value
            return HTTPResponse(200)
        }
        let late = Task { await scene.failure(HTTPRequest(.get, "/"), to: scene.origin) }
        _ = await begun.value
        late.cancel()
        let error = await late.value
        gate.set(())
        return error?.code == .cancelled ? nil : "The task was cancelled while the server worked."
    }

    @Sendable private static func limitsBodies(
        to limit: Int?,
        _ scene: TransportScene
    ) async throws -> String? {
        let accepted = [UInt8](repeating: 0x78, count: limit ?? 100_000)
        scene.reset { _ in HTTPResponse(200, body: accepted) }
        let answer = try await scene.transport.send(HTTPRequest(.get, "/"), to: scene.origin)
        guard answer.body == accepted else { return "A body of \(accepted.count) bytes came otherwise." }
        guard let limit else { return nil }
        scene.reset { _ in HTTPResponse(200, body: [UInt8](repeating: 0x78, count: limit + 1)) }
        let error = await scene.failure(HTTPRequest(.get, "/"), to: scene.origin)
        return error?.code == .invalidAnswer && error?.neverSent == false
            ? nil : "A body of \(limit + 1) bytes ended with \(error.map { "\($0.code)" } ?? "an answer")."
    }
}
