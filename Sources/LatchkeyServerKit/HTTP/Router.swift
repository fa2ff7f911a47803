package import LatchkeyModel
package import LatchkeyWire

/// A handler that dispatches requests to routes and converts thrown errors to responses.
///
/// An unknown path gets 404, and a known path with an unsupported method gets 405 with `Allow`. Every
/// response has `X-Content-Type-Options` and a `Cache-Control` that forbids caching, unless the route sets
/// its own `Cache-Control`.
package struct Router: HTTPHandler {
    /// Called with each error that results in a status of 500 or above, because the client does not see the
    /// error.
    package typealias FailureReport = @Sendable (_ error: any Error, _ method: String, _ path: String) -> Void

    /// The maximum length of a method name in bytes, beyond which it is rejected without a lookup.
    private static let methodLimit = 16

    private let exact: [String: [HTTP.Method: RouterPlace]]
    /// The routes whose only parameter is the last segment, keyed by the path before it.
    private let parametric: [String: [HTTP.Method: RouterPlace]]
    /// The few routes with a parameter before the last segment, which are matched last.
    private let patterns: [PathPattern]
    private let time: any TimeSource
    private let metrics: RequestMetrics
    private let report: FailureReport

    /// Creates a router.
    ///
    /// - Parameters:
    ///   - endpoints: All routes of the listener.
    ///   - basePath: The prefix of routes below ``Endpoint/Root/base``, such as `/a`; empty or `/` means no
    ///     prefix.
    ///   - time: The clock that provides the time of arrival and measures the latency of requests.
    ///   - metrics: The metrics that record the status and the latency of each request.
    ///   - report: Called with each error that results in a status of 500 or above.
    package init(
        _ endpoints: [Endpoint],
        basePath: String,
        time: any TimeSource,
        metrics: RequestMetrics = RequestMetrics(),
        report: @escaping FailureReport = { _, _, _ in }
    ) {
        var exact: [String: [HTTP.Method: RouterPlace]] = [:]
        var parametric: [String: [HTTP.Method: RouterPlace]] = [:]
        var patterns: [String: PathPattern] = [:]
        let base = basePath.hasSuffix("/") ? String(basePath.dropLast()) : basePath
        for endpoint in endpoints {
            let path = endpoint.root == .base ? base + endpoint.path : endpoint.path
            let template = endpoint.template(below: base)
            let methods: [HTTP.Method] = endpoint.method == .get ? [.get, .head] : [endpoint.method]
            for method in methods {
                let place = RouterPlace(
                    answer: endpoint.answer,
                    meter: metrics.meter(route: template, method: method.rawValue)
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

    /// Dispatches a request and records its status and latency.
    ///
    /// A request whose path, query or header fields contain U+0000 or too many combining marks gets 400
    /// before the handler is called. A response to `HEAD` has no body.
    package func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response {
        let start = time.now
        let (meter, answered) = await answer(request, from: peer, at: start)
        meter.observe(status: answered.status, time.now - start)
        var response = answered
        if response.headers["Cache-Control"] == nil {
            response.headers["Cache-Control"] = "private, no-cache, no-store, must-revalidate"
        }
        response.headers["X-Content-Type-Options"] = "nosniff"
        if request.method == .head {
            response.body = []
            response.stream = nil
        }
        return response
    }

    private func answer(_ request: HTTP.Request, from peer: PeerAddress, at start: Timestamp) async
        -> (RequestMeter, HTTP.Response)
    {
        let (methods, parameters) = find(request.path)
        let context = RequestContext(request, from: peer, at: start, parameters: parameters)
        guard let methods else {
            return (metrics.unmatched, ServerError.notFound.response(echoing: context.echoedID))
        }
        guard
            request.method.rawValue.utf8.count <= Self.methodLimit, let place = methods[request.method]
        else {
            var response = ServerError(405).response(echoing: context.echoedID)
            response.headers["Allow"] = methods.keys.map(\.rawValue).sorted().joined(separator: ", ")
            return (metrics.unmatched, response)
        }
        do {
            guard !NullCharacter.isNamed(in: request) else { throw NullCharacter.refusal }
            guard CombiningMarks.areFew(in: context) else {
                throw ServerError.malformed(CombiningMarks.reason)
            }
            return (place.meter, try await place.answer(context))
        } catch {
            let refusal = ServerError(anything: error)
            if refusal.status >= 500 { report(error, request.method.rawValue, request.path) }
            if let error = error as? DatabaseError { metrics.databaseErrors.add(error.code) }
            return (place.meter, refusal.response(echoing: context.echoedID))
        }
    }

    /// Returns the handlers of a path, keyed by method and `nil` for an unknown path, and the values of its
    /// parameters.
    ///
    /// Routes without parameters take precedence over routes that end with a parameter, which take precedence
    /// over patterns.
    private func find(_ path: String) -> (methods: [HTTP.Method: RouterPlace]?, parameters: [String]) {
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

/// The handler and the meter for one method of a route.
struct RouterPlace: Sendable {
    let answer: Endpoint.Answer
    let meter: RequestMeter
}
