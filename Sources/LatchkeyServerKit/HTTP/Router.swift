package import LatchkeyModel
package import LatchkeyWire

/// A handler that dispatches requests to routes and turns thrown errors into responses.
///
/// Unknown paths result in a 404. If a path exists but doesn't support the method, the result is a 405 with
/// an `Allow` header field. `OPTIONS` returns the methods of a path, and also answers preflights. Browsers that
/// ask for a page get errors as pages. Every response includes `X-Content-Type-Options`, and a `Cache-Control`
/// that forbids caching unless the route sets its own.
package struct Router: HTTPHandler {
    /// Called with each error that causes a response with a status of 500 or above, because the client
    /// doesn't see what went wrong.
    package typealias FailureReport = @Sendable (_ error: any Error, _ method: String, _ path: String) -> Void

    /// Shows an error on a page.
    package typealias ErrorPages =
        @Sendable (_ error: ServerError, _ context: RequestContext) async -> HTTP.Response

    /// Returns whether a client has registered the origin of a web page.
    package typealias OriginSource = @Sendable (_ origin: String) async throws -> Bool

    /// The maximum length of a method name, in bytes.
    ///
    /// Longer names are rejected without a lookup.
    private static let methodLimit = 16

    private let exact: [String: [HTTP.Method: RouterPlace]]
    /// The routes whose only parameter is the last segment, keyed by the path before that segment.
    private let parametric: [String: [HTTP.Method: RouterPlace]]
    /// The routes that have a parameter before the last segment.
    ///
    /// The router only tries these routes if no other route matches the path.
    private let patterns: [PathPattern]
    private let time: any TimeSource
    private let metrics: RequestMetrics
    private let report: FailureReport
    private let errorPages: ErrorPages?
    private let isClientOrigin: OriginSource

    /// Creates a router.
    ///
    /// - Parameters:
    ///   - endpoints: All routes that the listener serves.
    ///   - basePath: The prefix for routes below ``Endpoint/Root/base``, such as `/a`. An empty string or `/`
    ///     means that there is no prefix.
    ///   - time: The clock that is used to timestamp requests and to measure their latency.
    ///   - metrics: The metrics that record the status and latency of each request.
    ///   - report: Called with each error that causes a response with a status of 500 or above.
    ///   - errorPages: Shows the errors of pages, or `nil` if there are no pages.
    ///   - isClientOrigin: Returns whether a client has registered the origin of a web page.
    package init(
        _ endpoints: [Endpoint],
        basePath: String,
        time: any TimeSource,
        metrics: RequestMetrics = RequestMetrics(),
        report: @escaping FailureReport = { _, _, _ in },
        errorPages: ErrorPages? = nil,
        isClientOrigin: @escaping OriginSource = { _ in false }
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
                    credentials: endpoint.credentials,
                    errorFormat: endpoint.errorFormat,
                    cors: endpoint.cors,
                    refusesBody: endpoint.credentials.isAdministrative && endpoint.operation.body == nil,
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
        self.errorPages = errorPages
        self.isClientOrigin = isClientOrigin
        self.report = report
    }

    /// Dispatches a request and records its status and latency.
    ///
    /// A response with status 401 gets the challenges of the route's credentials unless it already has one.
    ///
    /// If the path or the query isn't UTF-8, if the path, query or header fields contain U+0000 or too many
    /// combining marks, or if there are several `Content-Type` fields, the response is a 400 and the handler
    /// isn't called. The same applies to a request with a body if the route requires the admin token and has
    /// no body.
    package func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response {
        let start = time.uptime
        let (place, answered) = await answer(request, from: peer, at: time.now)
        (place?.meter ?? metrics.unmatched).observe(status: answered.status, time.uptime - start)
        var response = answered
        if response.status == 401, response.headers[AuthenticationChallenge.header] == nil {
            for challenge in (place?.credentials ?? .none).challenges(to: request) {
                response.headers.fields.append(
                    HTTP.Headers.Field(name: AuthenticationChallenge.header, value: challenge.value)
                )
            }
        }
        if response.headers["Cache-Control"] == nil {
            response.headers["Cache-Control"] = "private, no-cache, no-store, must-revalidate"
        }
        response.headers["X-Content-Type-Options"] = "nosniff"
        if response.headers["X-Frame-Options"] == nil { response.headers["X-Frame-Options"] = "DENY" }
        return response
    }

    /// Returns the credentials that the routes with a path accept.
    ///
    /// The result is empty if the path is unknown. A path with several methods may have several declarations.
    package func credentials(ofPath path: String) -> Set<RouteCredentials> {
        Set(find(path).methods?.values.map(\.credentials) ?? [])
    }

    private func answer(_ request: HTTP.Request, from peer: PeerAddress, at start: Timestamp) async
        -> (RouterPlace?, HTTP.Response)
    {
        let (methods, parameters) = find(request.path)
        let isShort = request.method.rawValue.utf8.count <= Self.methodLimit
        let place = isShort ? methods?[request.method] : nil
        var context = RequestContext(
            request,
            from: peer,
            at: start,
            parameters: parameters,
            accepting: place?.credentials ?? .none
        )
        guard let methods else {
            return (nil, await response(to: .notFound, in: context, isPage: Self.wantsPage(request)))
        }
        guard let place else {
            let isPage = methods.values.contains { $0.errorFormat == .page }
            var response =
                request.method == .options
                ? await options(methods, in: context)
                : await response(to: ServerError(405), in: context, isPage: isPage)
            let allowed = methods.keys.map(\.rawValue) + [HTTP.Method.options.rawValue]
            response.headers["Allow"] = allowed.sorted().joined(separator: ", ")
            return (nil, response)
        }
        if place.cors == .clients { context.sharing = request.pageOrigin.map(ResponseSharing.init) }
        var response = await answer(context, at: place)
        response.headers.fields += place.cors.fields(of: context)
        return (place, response)
    }

    private func answer(_ context: RequestContext, at place: RouterPlace) async -> HTTP.Response {
        let request = context.request
        do {
            try Self.check(context)
            // An operator who sends a body expects it to have an effect. Some clients always send an object.
            guard !place.refusesBody || request.body.isEmpty || request.body == Array("{}".utf8) else {
                throw ServerError.malformed("This request has no body.")
            }
            return try await place.answer(context)
        } catch {
            let answered = error as? AnsweredError
            let error = answered?.underlying ?? error
            let refusal = ServerError(anything: error)
            if refusal.status >= 500 { report(error, request.method.rawValue, request.path) }
            if let error = error as? DatabaseError { metrics.databaseErrors.add(error.code) }
            if let answered { return answered.response }
            if place.errorFormat == .oauth, refusal.status == 400 {
                return OAuthError(.invalidRequest, reason: refusal.reason ?? "").response
            }
            return await response(to: refusal, in: context, isPage: place.errorFormat == .page)
        }
    }

    /// Returns the response to an `OPTIONS` request, which is a preflight if a browser has sent it.
    private func options(_ methods: [HTTP.Method: RouterPlace], in context: RequestContext) async
        -> HTTP.Response
    {
        let request = context.request
        guard
            let method = request.headers["Access-Control-Request-Method"],
            method.utf8.count <= Self.methodLimit,
            let policy = methods[HTTP.Method(rawValue: method)]?.cors
        else { return HTTP.Response(204) }
        let shared = methods.filter { $0.value.cors == policy }.map(\.key)
        do {
            var response = HTTP.Response(204)
            response.headers.fields = try await policy.preflightFields(
                from: request,
                methods: shared,
                isClientOrigin: isClientOrigin
            )
            return response
        } catch {
            let refusal = ServerError(anything: error)
            if refusal.status >= 500 { report(error, request.method.rawValue, request.path) }
            if let error = error as? DatabaseError { metrics.databaseErrors.add(error.code) }
            return await response(to: refusal, in: context, isPage: false)
        }
    }

    /// Returns the response to an error.
    private func response(
        to error: ServerError,
        in context: RequestContext,
        isPage: Bool
    ) async -> HTTP.Response {
        if isPage, let errorPages { return await errorPages(error, context) }
        return error.response(echoing: context.echoedID)
    }

    /// Returns whether a browser asks for a page.
    ///
    /// Programs that accept anything get JSON.
    private static func wantsPage(_ request: HTTP.Request) -> Bool {
        guard request.headers.all("Accept").contains(where: { $0.contains("text/html") }) else {
            return false
        }
        return ResponseFormat(request) == .page
    }

    /// Refuses requests that have no clear meaning, or that would be expensive to process.
    private static func check(_ context: RequestContext) throws(ServerError) {
        let request = context.request
        do {
            _ = try PercentEncoding.decode(request.path)
        } catch {
            throw .malformed("The path is \(error).")
        }
        if let failure = context.query.failure { throw .malformed("The query is \(failure).") }
        guard !NullCharacter.isNamed(in: request) else { throw NullCharacter.refusal }
        guard CombiningMarks.areFew(in: context) else { throw .malformed(CombiningMarks.reason) }
        // A proxy that reads a different one of the fields would see another request than we do.
        guard request.body.isEmpty || !request.headers.repeats("Content-Type") else {
            throw .malformed("The request has more than one Content-Type header.")
        }
    }

    /// Returns the handlers for a path, keyed by HTTP method, and the values of the path parameters.
    ///
    /// If the path is unknown, the handlers are `nil`.
    ///
    /// Routes without parameters are tried first, then routes that end with a parameter, and then patterns.
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

/// The handler and the request meter for one method of a route.
struct RouterPlace: Sendable {
    let answer: Endpoint.Answer
    let credentials: RouteCredentials
    let errorFormat: Endpoint.ErrorFormat
    let cors: CORSPolicy
    /// Whether requests with a body are rejected, because the route would ignore it.
    let refusesBody: Bool
    let meter: RequestMeter
}
