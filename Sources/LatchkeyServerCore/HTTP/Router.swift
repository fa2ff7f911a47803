package import LatchkeyModel
package import LatchkeyWire

/// Finds the endpoint for a request and turns whatever comes of it into one response.
package struct Router: HTTPHandler {
    /// Is told about errors that no handler foresaw; the client sees nothing of them.
    package typealias FailureReport = @Sendable (_ error: any Error, _ method: String, _ path: String) -> Void

    private let exact: [String: [HTTPMethod: Endpoint.Answer]]
    /// Those whose last part is a parameter, by what stands before it.
    private let parametric: [String: [HTTPMethod: Endpoint.Answer]]
    /// Those with parameters elsewhere; few, and asked last.
    private let patterns: [PathPattern]
    private let time: any TimeSource
    private let report: FailureReport

    /// Creates a router.
    ///
    /// - Parameters:
    ///   - endpoints: All places of the server.
    ///   - basePath: What stands before the paths of the self-service API, such as `/a`; empty or `/` for nothing.
    ///   - time: The clock.
    ///   - report: Is told about unforeseen errors.
    package init(
        _ endpoints: [Endpoint],
        basePath: String,
        time: any TimeSource,
        report: @escaping FailureReport = { _, _, _ in }
    ) {
        var exact: [String: [HTTPMethod: Endpoint.Answer]] = [:]
        var parametric: [String: [HTTPMethod: Endpoint.Answer]] = [:]
        var patterns: [String: PathPattern] = [:]
        let base = basePath.hasSuffix("/") ? String(basePath.dropLast()) : basePath
        for endpoint in endpoints {
            let path = endpoint.root == .base ? base + endpoint.path : endpoint.path
            let methods: [HTTPMethod] = endpoint.method == .get ? [.get, .head] : [endpoint.method]
            for method in methods {
                if PathPattern.isNeeded(for: path) {
                    patterns[path, default: PathPattern(path)].methods[method] = endpoint.answer
                } else if path.hasSuffix("/{}") {
                    parametric[String(path.dropLast(2)), default: [:]][method] = endpoint.answer
                } else {
                    exact[path, default: [:]][method] = endpoint.answer
                }
            }
        }
        self.exact = exact
        self.parametric = parametric
        self.patterns = Array(patterns.values)
        self.time = time
        self.report = report
    }

    package func respond(to request: HTTPRequest, from peer: PeerAddress) async -> HTTPResponse {
        var response = await answer(request, from: peer)
        if request.method == .get || request.method == .head, response.headers["Cache-Control"] == nil {
            response.headers["Cache-Control"] = "private, no-cache, no-store, must-revalidate"
        }
        if request.method == .head { response.body = [] }
        return response
    }

    private func answer(_ request: HTTPRequest, from peer: PeerAddress) async -> HTTPResponse {
        let (methods, parameters) = find(request.path)
        let exchange = Exchange(request, from: peer, at: time.now, parameters: parameters)
        guard let methods else { return ServerError.notFound.response(echoing: exchange.requestID) }
        guard let answer = methods[request.method] else {
            var response = ServerError(405).response(echoing: exchange.requestID)
            response.headers["Allow"] = methods.keys.map(\.rawValue).sorted().joined(separator: ", ")
            return response
        }
        do {
            guard !NullCharacter.isNamed(in: request) else { throw NullCharacter.refusal }
            return try await answer(exchange)
        } catch {
            let refusal = ServerError(anything: error)
            if refusal.status >= 500 { report(error, request.method.rawValue, request.path) }
            return refusal.response(echoing: exchange.requestID)
        }
    }

    private func find(_ path: String) -> (methods: [HTTPMethod: Endpoint.Answer]?, parameters: [String]) {
        if let methods = exact[path] { return (methods, []) }
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (nil, []) }
        let parameter = path[path.utf8.index(after: slash)...]
        guard !parameter.isEmpty else { return (nil, []) }
        if let methods = parametric[String(path[...slash])] { return (methods, [String(parameter)]) }
        for pattern in patterns {
            if let parameters = pattern.parameters(of: path) { return (pattern.methods, parameters) }
        }
        return (nil, [])
    }
}
