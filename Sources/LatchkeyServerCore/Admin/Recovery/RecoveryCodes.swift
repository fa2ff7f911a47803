import LatchkeyModel
import LatchkeyWire

/// Gives an operator a code with which the owner of an account gets back in, to be handed over by other means.
struct RecoveryCodes: Sendable {
    private static let bodyLimit = 4096
    private static let members: Set = ["identity_id", "expires_in", "flow_type"]
    private static let longestLifespan: Duration = .seconds(30 * 86_400)

    /// What an operator hands over.
    private struct Issued: Sendable {
        let flow: Flow
        let code: OneTimeCode
    }

    private let context: ServerContext
    private let flows: FlowRepository
    private let gate: FlowGate
    private let keys: CodeKeys

    init(_ context: ServerContext) {
        self.context = context
        flows = FlowRepository(context)
        gate = FlowGate(context)
        keys = CodeKeys(secrets: context.secrets)
    }

    var endpoints: [Endpoint] {
        [Endpoint(.post, AdminRoute.recoveryCode, below: .server, .createRecoveryCode, answer: create)]
    }

    private func create(_ exchange: Exchange) async throws -> HTTPResponse {
        let body = try exchange.json(limit: Self.bodyLimit)
        guard case .object(let members) = body else {
            throw ServerError.malformed("The body is no JSON object.")
        }
        if let other = members.first(where: { !Self.members.contains($0.name) }) {
            throw ServerError.malformed("The body has a member “\(other.name)”, which does not belong here.")
        }
        try Self.checkFlowType(body["flow_type"])
        guard context.settings.recoveryEnabled else {
            throw ServerError(404, reason: "Recovery is switched off.")
        }
        let lifespan = try Self.lifespan(body["expires_in"]) ?? context.settings.codeLifespan
        let id = try Self.identifier(body["identity_id"])
        guard let id, let identity = try await IdentityRepository(context).find(id) else {
            throw ServerError(404, reason: "There is no such identity.")
        }
        let issued = try await issue(for: identity, lifespan, exchange)
        return Self.answer(issued, context.settings)
    }

    private func issue(for identity: IdentityRecord, _ lifespan: Duration, _ exchange: Exchange) async throws
        -> Issued
    {
        let now = exchange.now
        let parameters = FlowParameters(
            schemaID: identity.schemaID,
            requestURL: context.settings.selfServiceURL + FlowKind.recovery.initPath,
            identityID: identity.id
        )
        let begun = flows.begin(.recovery, parameters, at: now, random: context.random)
        var flow = Flow(
            id: begun.id,
            kind: .recovery,
            parameters: parameters,
            issuedAt: begun.issuedAt,
            lifespan: lifespan
        )
        flow.state = .sentEmail
        flow.language = context.settings.language
        flow = gate.showing(Form(messages: [.recoveryCodeSent]), in: flow, at: now)
        let code = OneTimeCode(random: context.random)
        let address = Traits.Address(identity: identity.id)
        let issued = IssuedCode(
            address: address,
            identityID: identity.id,
            sealed: keys.seal(code, flow: flow.id, address: address.value),
            expiresAt: flow.expiresAt
        )
        let event = context.event(.recoveryCodeMade, of: identity.id, by: .operator, in: exchange, at: now)
        try await context.database.transaction { [flow] transaction in
            try FlowRepository.insert(flow, in: transaction)
            try CodeRepository.replace(issued, of: flow.id, guesses: .forgotten, at: now, in: transaction)
            try AuditLog.append(event, in: transaction)
        }
        return Issued(flow: flow, code: code)
    }

    private static func answer(_ issued: Issued, _ settings: ServerSettings) -> HTTPResponse {
        var writer = JSONWriter(reserving: 256)
        writer.object { writer in
            writer.name("recovery_link")
            writer.string(link(to: issued.flow.id, settings))
            writer.name("recovery_code")
            writer.string(issued.code.exposed)
            writer.name("expires_at")
            writer.time(issued.flow.expiresAt)
        }
        var response = HTTPResponse.json(201, writer.bytes)
        response.headers["Cache-Control"] = "no-store"
        return response
    }

    /// The page of the operator's app on which the code is entered, or the flow itself if there is no page.
    private static func link(to flow: Identifier, _ settings: ServerSettings) -> String {
        guard let page = settings.recoveryPage else {
            // Clients read the member `flow` as in a link of Kratos; whoever opens the link reads the flow.
            return settings.selfServiceURL + FlowKind.recovery.showPath + "?id=\(flow)&flow=\(flow)"
        }
        return page + (page.contains("?") ? "&" : "?") + "flow=\(flow)"
    }

    /// The id in the body; nothing where there is none.
    private static func identifier(_ value: OrderedJSON?) throws(ServerError) -> Identifier? {
        switch value {
        case nil, .null?: return nil
        case .string(let text)?:
            if let id = Identifier(text) { return id }
            fallthrough
        case .some: throw .malformed("The member identity_id is no UUID.")
        }
    }

    /// Refuses flows of a kind that Kratos does not know; both of its kinds lead to the same flow here.
    private static func checkFlowType(_ value: OrderedJSON?) throws(ServerError) {
        guard [nil, .null, .string("api"), .string("browser")].contains(value) else {
            throw .malformed("The member flow_type is neither api nor browser.")
        }
    }

    /// Reads a duration as Kratos writes it, such as `1h30m`; nothing where there is none.
    private static func lifespan(_ value: OrderedJSON?) throws(ServerError) -> Duration? {
        let refusal = ServerError.malformed(
            "The member expires_in is no duration such as 1h, 1m30s or 500ms."
        )
        switch value {
        case nil, .null?: return nil
        case .string(let text)?:
            guard !text.isEmpty else { return nil }
            guard let duration = Duration(kratosText: text), duration > .zero, duration <= longestLifespan
            else {
                throw refusal
            }
            return duration
        case .some: throw refusal
        }
    }
}

extension Traits.Address {
    /// Stands for the address of a code that the operator hands out, which proves no address.
    init(identity: Identifier) {
        self.init(via: .email, value: identity.description)
    }

    /// Whether a code was handed out by the operator.
    func isIdentity(_ identity: Identifier) -> Bool {
        self == Traits.Address(identity: identity)
    }
}
