package import LatchkeyModel
package import LatchkeyWire

/// Finds the endpoint for a request and turns whatever comes of it into one response.
package struct Router: HTTPHandler {
    /// Is told about errors that no handler foresaw; the client sees nothing of them.
    package typealias FailureReport = @Sendable (_ error: any Error, _ method: String, _ path: String) -> Void

    private static let methodLimit = 16

    private let exact: [String: [HTTPMethod: RouterPlace]]
    /// Those whose last part is a parameter, by what stands before it.
    private let parametric: [String: [HTTPMethod: RouterPlace]]
    /// Those with parameters elsewhere; few, and asked last.
    private let patterns: [PathPattern]
    private let time: any TimeSource
    private let metrics: ServerMetrics
    private let report: FailureReport

    /// Creates a router.
    ///
    /// - Parameters:
    ///   - endpoints: All places of the server.
    ///   - basePath: What stands before the paths of the self-service API, such as `/a`; empty or `/` for nothing.
    ///   - time: The clock.
    ///   - metrics: Counts and measures what is asked.
    ///   - report: Is told about unforeseen errors.
    package init(
        _ endpoints: [Endpoint],
        basePath: String,
        time: any TimeSource,
        metrics: ServerMetrics = ServerMetrics(),
        report: @escaping FailureReport = { _, _, _ in }
    ) {
        var exact: [String: [HTTPMethod: RouterPlace]] = [:]
        var parametric: [String: [HTTPMethod: RouterPlace]] = [:]
        var patterns: [String: PathPattern] = [:]
        let base = basePath.hasSuffix("/") ? String(basePath.dropLast()) : basePath
        for endpoint in endpoints {
            let path = endpoint.root == .base ? base + endpoint.path : endpoint.path
            let template = endpoint.template(below: base)
            let methods: [HTTPMethod] = endpoint.method == .get ? [.get, .head] : [endpoint.method]
            for method in methods {
                let place = RouterPlace(
                    answer: endpoint.answer,
                    meter: metrics.meter(template, method.rawValue)
                )
                if PathPattern.isNeeded(for: path) {
                    patterns[path, default: PathPattern(path)].methods[method] = place
                } else if path.hasSuffix("/{}") {
                    parametric[String(path.dropLast(2)), default: [:]][method] = place
                } else {
                    exact[path, default: [:]][method] = place
                }
            }
        }
        self.exact = exact
        self.parametric = parametric
        self.patterns = Array(patterns.values)
        self.time = time
        self.metrics = metrics
        self.report = report
    }

    package func respond(to request: HTTPRequest, from peer: PeerAddress) async -> HTTPResponse {
        let start = time.now
        let (meter, answered) = await answer(request, from: peer, at: start)
        meter.observe(status: answered.status, time.now - start)
        var response = answered
        if response.headers["Cache-Control"] == nil {
            response.headers["Cache-Control"] = "private, no-cache, no-store, must-revalidate"
        }
        response.headers["X-Content-Type-Options"] = "nosniff"
        if request.method == .head { response.body = [] }
        return response
    }

    private func answer(_ request: HTTPRequest, from peer: PeerAddress, at start: Timestamp) async
        -> (RequestMeter, HTTPResponse)
    {
        let (methods, parameters) = find(request.path)
        let exchange = Exchange(request, from: peer, at: start, parameters: parameters)
        guard let methods else {
            return (metrics.unmatched, ServerError.notFound.response(echoing: exchange.echoedID))
        }
        guard
            request.method.rawValue.utf8.count <= Self.methodLimit, let place = methods[request.method]
        else {
            var response = ServerError(405).response(echoing: exchange.echoedID)
            response.headers["Allow"] = methods.keys.map(\.rawValue).sorted().joined(separator: ", ")
            return (metrics.unmatched, response)
        }
        do {
            guard !NullCharacter.isNamed(in: request) else { throw NullCharacter.refusal }
            guard CombiningMarks.areFew(in: exchange) else {
                throw ServerError.malformed(CombiningMarks.reason)
            }
            return (place.meter, try await place.answer(exchange))
        } catch {
            let refusal = ServerError(anything: error)
            if refusal.status >= 500 { report(error, request.method.rawValue, request.path) }
            if let error = error as? DatabaseError { metrics.databaseErrors.add(error.code) }
            return (place.meter, refusal.response(echoing: exchange.echoedID))
        }
    }

    private func find(_ path: String) -> (methods: [HTTPMethod: RouterPlace]?, parameters: [String]) {
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

/// What answers at a place by a method, and what measures it.
struct RouterPlace: Sendable {
    let answer: Endpoint.Answer
    let meter: RequestMeter
}
