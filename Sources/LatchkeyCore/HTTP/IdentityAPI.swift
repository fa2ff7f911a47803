package import LatchkeyModel
package import LatchkeyWire

/// Sends requests to the identity server's API.
///
/// All methods throw ``LatchkeyError``.
package struct IdentityAPI: Sendable {
    let server: WebAddress
    /// The path of the self-service API, including the server's path.
    let selfService: String
    let headers: ClientHeaders
    let transport: any Transport
    /// The identity server's clock.
    let clock: ServerClock
    private let time: any TimeSource

    /// Creates a client for the API.
    ///
    /// - Parameters:
    ///   - server: The server's address. If the address has a path, the path is prepended to all routes.
    ///   - basePath: The path of the self-service API, relative to the server's path.
    ///   - headers: The header fields to add to every request.
    ///   - transport: The transport that sends the requests.
    ///   - time: The device's clock, which is used to record when certificates are received.
    package init(
        server: WebAddress,
        basePath: BasePath,
        headers: ClientHeaders = ClientHeaders(),
        transport: any Transport,
        time: any TimeSource
    ) {
        self.server = server
        selfService = server.pathPrefix + basePath.text
        self.headers = headers
        self.transport = transport
        self.time = time
        clock = ServerClock(home: server.origin, time: time)
    }

    /// Returns the identity server's route that matches a request.
    ///
    /// The app's own API may use other paths of the same origin.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - origin: The normalized scheme, host and port.
    /// - Returns: The route, or `nil` if the request isn't for a route that requires a session.
    package func route(of request: HTTP.Request, at origin: String) -> SessionRoute? {
        guard origin == server.origin else { return nil }
        let path = request.path
        if path == selfService + Route.whoami { return .whoami }
        if path == server.pathPrefix + Route.certificates { return .other }
        if path == server.pathPrefix + Route.approvals { return .other }
        if path.hasPrefix(server.pathPrefix + Route.approvals + "/") { return .other }
        if [Route.account, Route.accountExport].contains(where: { path == selfService + $0 }) {
            return .other
        }
        if path.hasPrefix(selfService + Route.Commerce.prefix) { return .other }
        for route in [Route.sessions, Route.settings] where path.hasPrefix(selfService + route) {
            let rest = path.dropFirst(selfService.count + route.count)
            if rest.isEmpty { return .other }
            let segments = rest.split(separator: "/", omittingEmptySubsequences: false)
            return segments.count == 2 && segments[0].isEmpty && segments[1].first != "." ? .other : nil
        }
        return nil
    }

    /// Returns the URL for submitting a flow.
    ///
    /// DPoP proofs for the submission must contain this URL as `htu`.
    ///
    /// The URL doesn't include the query, because `htu` excludes it (RFC 9449, section 4.2).
    package func submissionURL(of kind: Flow.Kind) -> String {
        server.origin + selfService + kind.submissionRoute
    }

    /// Asks the server to send a code to a phone number.
    ///
    /// - Parameters:
    ///   - phone: The phone number for the new account.
    ///   - flow: The id of a registration flow.
    /// - Throws: ``LatchkeyError``. The code is `tooManyRequests` if one of the server's rate limits is
    ///   exceeded.
    package func sendCode(to phone: PhoneNumber, flow: String) async throws(LatchkeyError) {
        let body = PhoneVerificationBody.Start(phoneNumber: phone.e164, flowId: flow)
        var writer = JSONWriter(reserving: 256)
        writer.object { writer in
            writer.member("phoneNumber", text: body.phoneNumber)
            writer.member("phoneType", text: body.phoneType)
            writer.member("flowId", text: body.flowId)
            writer.member("flowType", text: body.flowType)
        }
        _ = try await send(
            .post,
            path: server.pathPrefix + Route.phoneVerification,
            body: writer,
            for: PhoneVerificationBody.Sent.self
        )
    }

    /// Submits a code to verify a phone number.
    ///
    /// Errors don't contain the code.
    ///
    /// - Parameters:
    ///   - code: The code from the most recent message sent for this flow.
    ///   - flow: The id of the registration flow.
    /// - Throws: ``LatchkeyError``. If the error's code is `codeInvalid`, the user can try again.
    package func check(_ code: OneTimeCode, flow: String) async throws(LatchkeyError) {
        let body = PhoneVerificationBody.Check(flowId: flow, otp: code.exposed)
        var writer = JSONWriter(reserving: 256)
        writer.object { writer in
            writer.member("phoneType", text: body.phoneType)
            writer.member("flowId", text: body.flowId)
            writer.member("otp", text: body.otp)
            writer.member("flowType", text: body.flowType)
        }
        let answer = try await send(
            .patch,
            path: server.pathPrefix + Route.phoneVerification,
            body: writer,
            for: PhoneVerificationBody.Verified.self,
            secrets: [Secret(body.otp)]
        )
        _ = try answer.value(answer.json["message"]?.text)
    }

    /// Requests a certificate for the device's key.
    ///
    /// - Parameters:
    ///   - signingRequest: The certificate signing request in PEM format.
    ///   - token: The session token.
    /// - Returns: The certificate, with `certifiedAt` set to the time of the request.
    /// - Throws: ``LatchkeyError``. The error doesn't contain the token.
    package func certify(
        _ signingRequest: String,
        token: Secret
    ) async throws(LatchkeyError) -> IssuedCertificate {
        let start = time.now
        var writer = JSONWriter(reserving: 2048)
        writer.object { $0.member("csr", text: signingRequest) }
        let answer = try await send(
            .put,
            path: server.pathPrefix + Route.certificates,
            body: writer,
            for: CertificateBody.Issued.self,
            secrets: [token],
            headers: ["X-Session-Token": token.exposed]
        )
        return try answer.value(IssuedCertificate(decoding: answer.json, at: start))
    }

    /// Fetches the session that a token belongs to.
    ///
    /// If the session doesn't exist, the error code is `sessionEnded`.
    ///
    /// - Parameter token: The session token. The server also accepts an access token.
    /// - Returns: The session, as stored by the server.
    /// - Throws: ``LatchkeyError``. The error doesn't contain the token.
    package func whoami(_ token: Secret) async throws(LatchkeyError) -> UserSession {
        let answer = try await send(
            HTTP.Request(.get, selfService + Route.whoami, headers: ["X-Session-Token": token.exposed]),
            for: SessionBody.self,
            secrets: [token],
            route: .whoami
        )
        return try answer.value(UserSession(decoding: answer.json))
    }

    /// Revokes the session that a token belongs to.
    ///
    /// - Parameter token: The session token. Revoking a session that was already revoked succeeds.
    /// - Throws: ``LatchkeyError``. The error doesn't contain the token.
    package func logOut(_ token: Secret) async throws(LatchkeyError) {
        var writer = JSONWriter(reserving: 128)
        writer.object { $0.member("session_token", text: token.exposed) }
        _ = try await send(
            .delete,
            path: selfService + Route.logout,
            body: writer,
            for: NoContent.self,
            secrets: [token]
        )
    }

    /// Revokes the session that a refresh token belongs to (RFC 7009).
    func revoke(_ token: Secret) async throws(LatchkeyError) {
        var request = RevocationRequest(token: token).httpRequest
        request.path = server.pathPrefix + request.path
        let answer = try await send(request, for: RevocationBody.self, secrets: [token])
        _ = try answer.value(answer.json.object)
    }

    /// Sends a request with a JSON body.
    private func send<Body: AnswerBody>(
        _ method: HTTP.Method,
        path: String,
        query: String? = nil,
        body: JSONWriter,
        for type: Body.Type,
        secrets: [Secret] = [],
        headers: HTTP.Headers = [:]
    ) async throws(LatchkeyError) -> ServerAnswer<Body> {
        var request = HTTP.Request(method, path, query: query, headers: headers, body: body.bytes)
        request.headers["Content-Type"] = "application/json"
        return try await send(request, for: type, secrets: secrets)
    }

    /// Sends a request.
    ///
    /// Throws an error with all secrets masked unless the response has the format of the given body.
    func send<Body: AnswerBody>(
        _ request: HTTP.Request,
        for type: Body.Type,
        secrets: [Secret] = [],
        route: SessionRoute = .other,
        limits: RequestLimits = RequestLimits()
    ) async throws(LatchkeyError) -> ServerAnswer<Body> {
        try ServerAnswer(try await exchange(request, limits: limits), to: route, hiding: secrets)
    }

    /// Sends a request with the client's header fields and returns the response, regardless of its status.
    func exchange(
        _ request: HTTP.Request,
        limits: RequestLimits = RequestLimits()
    ) async throws(LatchkeyError) -> HTTP.Response {
        var request = request
        headers.add(to: &request)
        return try await transport.exchange(
            request,
            with: server.origin,
            limits: limits,
            clock: clock,
            time: time
        )
    }
}

/// An identity server route that requires a session.
package enum SessionRoute: Sendable {
    case whoami, other
}

extension JSONWriter {
    fileprivate mutating func member(_ name: StaticString, text: String) {
        self.name(name)
        string(text)
    }
}
