import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Routes for verifying a phone number during a registration (`contract/vipaso.md`).
///
/// The verified number is stored in the flow, so that the user can register with an identity schema that
/// requires a verified phone number.
struct PhoneVerification: Sendable {
    private let flows: FlowRepository
    private let lifecycle: FlowLifecycle
    private let codes: PhoneVerifier

    /// Creates the routes.
    ///
    /// - Parameters:
    ///   - flows: Looks up registration flows, including new flows that haven't been written to the database.
    ///   - lifecycle: Starts replacements for flows that have ended.
    ///   - codes: Sends verification codes to phone numbers and checks them.
    init(flows: FlowRepository, lifecycle: FlowLifecycle, codes: PhoneVerifier) {
        self.flows = flows
        self.lifecycle = lifecycle
        self.codes = codes
    }

    /// The routes for sending a code (`POST`) and for checking it (`PATCH`), which have the same path.
    ///
    /// The path is relative to the server's base URL, not to the self-service API. Requests must have a JSON
    /// body. Requests from browsers are rejected.
    var endpoints: [Endpoint] {
        [
            Endpoint(
                .post,
                Route.phoneVerification,
                below: .server,
                accepts: .none,
                operation: .startPhoneVerification,
                answer: start
            ),
            Endpoint(
                .patch,
                Route.phoneVerification,
                below: .server,
                accepts: .none,
                operation: .checkPhoneVerification,
                answer: check
            ),
        ]
    }

    /// Handles a `POST` request by sending a code.
    ///
    /// Waits a limited time for the message to be delivered.
    ///
    /// - Throws: A ``ServerError`` with status 400 if the body is malformed, or 502 if the provider rejects
    ///   the message. Also throws any error thrown by ``openFlow(_:at:)``.
    private func start(_ context: RequestContext) async throws -> HTTP.Response {
        try context.requireNativeJSON()
        let body = try context.body(PhoneVerificationBody.Start.self, limit: PhoneRequest.byteLimit)
        let request = try PhoneRequest.Start(body)
        let flow = try await openFlow(request.flow, in: context)
        switch try await codes.send(to: request.phone, in: flow, for: context) {
        case .accepted: return HTTP.Response(201)
        case .refused: throw ServerError.deliveryFailed
        case .flowOver: throw try await over(flow.id, in: context)
        }
    }

    /// Handles a `PATCH` request by checking a code.
    ///
    /// - Throws: A ``ServerError`` with status 400 if the body is malformed, or if the code is wrong, has
    ///   expired, was already used or has no guesses left. Also throws any error thrown by
    ///   ``openFlow(_:at:)``.
    private func check(_ context: RequestContext) async throws -> HTTP.Response {
        try context.requireNativeJSON()
        let body = try context.body(PhoneVerificationBody.Check.self, limit: PhoneRequest.byteLimit)
        let request = try PhoneRequest.Check(body)
        let flow = try await openFlow(request.flow, in: context)
        guard let code = request.code else {
            throw ServerError(400, id: .codeInvalid, reason: "The code must have six digits.")
        }
        let verdict = try await codes.judge(
            code,
            of: flow.id,
            from: context.peer,
            at: context.now
        )
        if let refusal = verdict.refusal { throw refusal }
        if case .flowOver = verdict { throw try await over(flow.id, in: context) }
        return verified
    }

    /// Returns the registration flow that a request refers to.
    ///
    /// - Throws: A ``ServerError`` with status 404 if the flow doesn't exist, or 410 if it was completed or
    ///   has expired.
    private func openFlow(_ id: Identifier, in context: RequestContext) async throws -> Flow {
        guard let flow = try await flows.find(id, kind: .registration), flow.type == .api else {
            throw ServerError.notFound
        }
        guard !flow.isOver(at: context.now) else { throw try await expired(flow, in: context) }
        return flow
    }

    /// Returns the error for a flow that ended while the request was being handled.
    private func over(_ id: Identifier, in context: RequestContext) async throws -> ServerError {
        guard let flow = try await flows.find(id, kind: .registration) else { return .notFound }
        return try await expired(flow, in: context)
    }

    /// Starts a replacement for a completed or expired flow, and returns an error that contains the id of the
    /// replacement.
    private func expired(_ flow: Flow, in context: RequestContext) async throws -> ServerError {
        let next = try await lifecycle.replacement(of: flow, in: context)
        return .flowExpired(next.errorDetail)
    }

    /// The response to a correct code: status 200 with a `message` member.
    private var verified: HTTP.Response {
        var writer = JSONWriter(reserving: 64)
        writer.object { writer in
            writer.name("message")
            writer.string("Phone verified successfully")
        }
        return HTTP.Response(
            200,
            headers: ["Content-Type": "application/json;charset=UTF-8"],
            body: writer.bytes
        )
    }
}
