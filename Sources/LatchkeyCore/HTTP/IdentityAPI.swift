package import LatchkeyModel
package import LatchkeyWire

/// The identity server's contract as calls: one method for each request, errors as ``LatchkeyError``.
package struct IdentityAPI: Sendable {
    /// A kind of flow that the client goes through.
    package enum FlowKind: Sendable {
        case login, registration
    }

    let server: WebAddress
    private let selfService: String
    private let headers: ClientHeaders
    private let transport: any Transport
    private let time: any TimeSource

    /// Creates the calls.
    ///
    /// - Parameters:
    ///   - server: Where the server is; a path in it stands before all routes.
    ///   - basePath: The path of the self-service API.
    ///   - headers: The fields that every request has.
    ///   - transport: What carries the requests.
    ///   - time: The device's clock.
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
    }

    /// Returns the route of the identity server that a request goes to.
    ///
    /// Any other path at the same origin may be one of the app's own API.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - origin: Scheme, host and port.
    /// - Returns: The route; `nil` if it is none that takes a session.
    package func route(of request: HTTPRequest, at origin: String) -> SessionRoute? {
        guard origin == server.origin else { return nil }
        let path = request.path
        if path == selfService + Route.whoami { return .whoami }
        if path == server.pathPrefix + Route.certificates { return .other }
        for route in [Route.sessions, Route.settings] where path.hasPrefix(selfService + route) {
            let rest = path.dropFirst(selfService.count + route.count)
            if rest.isEmpty { return .other }
            let segments = rest.split(separator: "/", omittingEmptySubsequences: false)
            return segments.count == 2 && segments[0].isEmpty && segments[1].first != "." ? .other : nil
        }
        return nil
    }

    /// Begins a flow.
    ///
    /// - Returns: Its id.
    package func begin(_ kind: FlowKind) async throws(LatchkeyError) -> String {
        let answer = try await send(HTTPRequest(.get, selfService + kind.initRoute))
        guard let id = answer.json?["id"]?.text, !id.isEmpty else { throw .unexpected(answer) }
        return id
    }

    /// The URL that proofs for the submission of a flow are made for.
    package func submissionURL(of kind: FlowKind) -> String {
        server.origin + selfService + kind.submissionRoute
    }

    /// Asks for a code to be sent.
    package func sendCode(to phone: PhoneNumber, flow: String) async throws(LatchkeyError) {
        let body = PhoneVerificationBody.Start(phoneNumber: phone.e164, flowId: flow)
        var writer = JSONWriter(reserving: 256)
        writer.object { writer in
            writer.member("phoneNumber", body.phoneNumber)
            writer.member("phoneType", body.phoneType)
            writer.member("flowId", body.flowId)
            writer.member("flowType", body.flowType)
        }
        _ = try await send(.post, server.pathPrefix + Route.phoneVerification, body: writer)
    }

    /// Hands in a code.
    package func check(_ code: OneTimeCode, flow: String) async throws(LatchkeyError) {
        let body = PhoneVerificationBody.Check(flowId: flow, otp: code.exposed)
        var writer = JSONWriter(reserving: 256)
        writer.object { writer in
            writer.member("phoneType", body.phoneType)
            writer.member("flowId", body.flowId)
            writer.member("otp", body.otp)
            writer.member("flowType", body.flowType)
        }
        _ = try await send(
            .patch,
            server.pathPrefix + Route.phoneVerification,
            body: writer,
            secrets: [Secret(body.otp)]
        )
    }

    /// Makes an account.
    ///
    /// The proof is a DPoP proof for ``submissionURL(of:)`` by the key that the device enrols afterwards.
    package func register(
        _ profile: SignUpProfile,
        flow: String,
        proof: String
    ) async throws(LatchkeyError) -> Authentication {
        var writer = JSONWriter(reserving: 512)
        writer.object { writer in
            writer.member("method", "password")
            writer.name("traits")
            writer.object { writer in
                writer.name("name")
                writer.object { writer in
                    writer.member("first", profile.name.first)
                    writer.member("last", profile.name.last)
                }
                writer.member("phone", profile.phone.e164)
                if let email = profile.email { writer.member("email", email.address) }
            }
            writer.member("password", profile.password.exposed)
        }
        return try await submit(
            .registration,
            flow: flow,
            body: writer,
            password: profile.password,
            proof: proof
        )
    }

    /// Logs in with a password.
    ///
    /// The proof is a DPoP proof for ``submissionURL(of:)`` by the key that the device enrols afterwards.
    package func logIn(
        _ identifier: String,
        password: Secret,
        flow: String,
        proof: String
    ) async throws(LatchkeyError) -> Authentication {
        var writer = JSONWriter(reserving: 256)
        writer.object { writer in
            writer.member("identifier", identifier)
            writer.member("method", "password")
            writer.member("password", password.exposed)
        }
        return try await submit(.login, flow: flow, body: writer, password: password, proof: proof)
    }

    /// Has the device's key certified.
    package func certify(
        _ signingRequest: String,
        token: Secret
    ) async throws(LatchkeyError) -> IssuedCertificate {
        var writer = JSONWriter(reserving: 2048)
        writer.object { $0.member("csr", signingRequest) }
        let answer = try await send(
            .put,
            server.pathPrefix + Route.certificates,
            body: writer,
            secrets: [token],
            headers: ["X-Session-Token": token.exposed]
        )
        guard let issued = IssuedCertificate(decoding: answer.json, at: time.now) else {
            throw .unexpected(answer)
        }
        return issued
    }

    /// Asks whose session a token is.
    package func whoami(_ token: Secret) async throws(LatchkeyError) -> Session {
        let answer = try await send(
            HTTPRequest(.get, selfService + Route.whoami, headers: ["X-Session-Token": token.exposed]),
            secrets: [token],
            route: .whoami
        )
        guard let session = Session(decoding: answer.json) else { throw .unexpected(answer) }
        return session
    }

    private func submit(
        _ kind: FlowKind,
        flow: String,
        body: JSONWriter,
        password: Secret,
        proof: String
    ) async throws(LatchkeyError) -> Authentication {
        let answer = try await send(
            .post,
            selfService + kind.submissionRoute,
            query: "flow=\(QueryItems.encode(flow))",
            body: body,
            secrets: [password],
            headers: [DPoPProof.header: proof]
        )
        guard let authentication = Authentication(decoding: answer.json) else { throw .unexpected(answer) }
        return authentication
    }

    private func send(
        _ method: HTTPMethod,
        _ path: String,
        query: String? = nil,
        body: JSONWriter,
        secrets: [Secret] = [],
        headers: HTTPHeaders = [:]
    ) async throws(LatchkeyError) -> HTTPResponse {
        var request = HTTPRequest(method, path, query: query, headers: headers, body: body.bytes)
        request.headers["Content-Type"] = "application/json"
        return try await send(request, secrets: secrets)
    }

    /// Sends a request and turns every refusal into an error, in which none of the secrets occurs.
    private func send(
        _ request: HTTPRequest,
        secrets: [Secret] = [],
        route: SessionRoute = .other
    ) async throws(LatchkeyError) -> HTTPResponse {
        let answer = try await exchange(request)
        guard (200..<300).contains(answer.status) else {
            throw LatchkeyError(refusal: ServerRefusal(decoding: answer, from: route).without(secrets))
        }
        return answer
    }

    /// Sends a request and takes any answer for one.
    func exchange(_ request: HTTPRequest) async throws(LatchkeyError) -> HTTPResponse {
        guard !Task.isCancelled else { throw .cancelled }
        var request = request
        request.headers["Accept"] = "application/json"
        headers.add(to: &request)
        do throws(TransportError) {
            try RequestTarget.check(request)
            return try await transport.send(request, to: server.origin)
        } catch {
            throw LatchkeyError(transport: error)
        }
    }
}

/// A route of the identity server that takes a session.
package enum SessionRoute: Sendable {
    case whoami, other
}

extension IdentityAPI.FlowKind {
    fileprivate var initRoute: String {
        switch self {
        case .login: Route.loginInit
        case .registration: Route.registrationInit
        }
    }

    fileprivate var submissionRoute: String {
        switch self {
        case .login: Route.login
        case .registration: Route.registration
        }
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ name: StaticString, _ text: String) {
        self.name(name)
        string(text)
    }
}

extension HTTPResponse {
    /// The body as JSON; nothing when it is none.
    var json: JSONValue? {
        try? JSONCoding.decode(JSONValue.self, from: body)
    }
}

extension LatchkeyError {
    /// An answer that says success and lacks what belongs to it.
    static func unexpected(_ answer: HTTPResponse) -> LatchkeyError {
        LatchkeyError(
            .invalidAnswer,
            "The server answered \(answer.status) without what belongs to that answer."
        )
    }
}
