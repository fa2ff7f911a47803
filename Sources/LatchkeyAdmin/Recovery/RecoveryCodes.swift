package import LatchkeyAccounts
package import LatchkeyCourier
package import LatchkeyModel
package import LatchkeySelfService
package import LatchkeyServerKit
import LatchkeyWire

/// The admin route that creates a recovery code, which the operator passes on to the user.
///
/// The code belongs to the identity, not to an address. A user who submits the code is logged in, but no
/// address becomes verified.
package struct RecoveryCodes: Sendable {
    /// The maximum size of a body in bytes.
    private static let bodyLimit = 4096
    /// The only members that a body may have.
    private static let members: Set = ["identity_id", "expires_in", "flow_type"]
    /// The maximum lifespan that the operator can request for a code.
    private static let longestLifespan: Duration = .seconds(30 * 86_400)

    /// A recovery flow with its code in plain text.
    private struct Issued: Sendable {
        let flow: Flow
        let code: OneTimeCode
    }

    private let settings: RecoverySettings
    private let codeSettings: CodeSettings
    private let urls: ServerURLs
    private let random: any RandomSource
    private let audit: AuditLog
    private let database: any Database
    private let identities: IdentityRepository
    private let language: Language
    private let flows: FlowRepository
    private let lifecycle: FlowLifecycle
    private let keys: CodeKeys

    /// Creates the route.
    ///
    /// - Parameters:
    ///   - identities: The repository of identities.
    ///   - language: The language of the recovery form.
    ///   - keys: The keys for computing the MAC of the code.
    ///   - flows: Creates the recovery flow.
    ///   - lifecycle: Renders the form of the flow.
    ///   - settings: The recovery settings, which enable recovery and contain the URL of the recovery page.
    ///   - codeSettings: The code settings, with the default lifespan of a code.
    ///   - urls: The public URLs of the server, which the link to the flow is based on.
    ///   - random: The random source for the code.
    ///   - audit: The audit log.
    ///   - database: The database, in which the flow, the code and the audit event are stored in one
    ///     transaction.
    package init(
        identities: IdentityRepository,
        language: Language,
        keys: CodeKeys,
        flows: FlowRepository,
        lifecycle: FlowLifecycle,
        settings: RecoverySettings,
        codeSettings: CodeSettings,
        urls: ServerURLs,
        random: any RandomSource,
        audit: AuditLog,
        database: any Database
    ) {
        self.identities = identities
        self.language = language
        self.flows = flows
        self.lifecycle = lifecycle
        self.settings = settings
        self.codeSettings = codeSettings
        self.urls = urls
        self.random = random
        self.audit = audit
        self.database = database
        self.keys = keys
    }

    /// The route that creates recovery codes.
    ///
    /// The lifespan of a code is at most 30 days. Responses have `Cache-Control: no-store`.
    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .post,
                AdminRoute.recoveryCode,
                below: .server,
                operation: .createRecoveryCode,
                answer: create
            )
        ]
    }

    /// Creates the code for an identity, and returns it with the link to its flow.
    ///
    /// A code is also created for an inactive identity, but it cannot be used while the identity is inactive.
    ///
    /// - Throws: ``ServerError`` with status 400 for an invalid body, or 404 if recovery is disabled or the
    ///   identity does not exist.
    private func create(_ context: RequestContext) async throws -> HTTP.Response {
        let body = try context.json(limit: Self.bodyLimit)
        guard case .object(let members) = body else {
            throw ServerError.malformed("The body must be a JSON object.")
        }
        if let other = members.first(where: { !Self.members.contains($0.name) }) {
            throw ServerError.malformed("The body has an unknown member “\(other.name)”.")
        }
        try Self.checkFlowType(body["flow_type"])
        guard settings.isEnabled else {
            throw ServerError(404, reason: "Account recovery is disabled on this server.")
        }
        let lifespan = try Self.lifespan(body["expires_in"]) ?? codeSettings.lifespan
        let id = try Self.identifier(body["identity_id"])
        guard let id, let identity = try await identities.find(id) else {
            throw ServerError(404, reason: "The identity does not exist.")
        }
        let issued = try await issue(for: identity, lifespan: lifespan, in: context)
        return answer(issued)
    }

    /// Creates a recovery flow in the state in which a code was sent, and stores it with the code and an
    /// audit event.
    ///
    /// The flow expires together with its code. Only the MAC of the code is stored.
    ///
    /// - Throws: ``DatabaseError``, in which case neither the flow nor the code nor the event is stored.
    private func issue(for identity: IdentityRecord, lifespan: Duration, in context: RequestContext)
        async throws
        -> Issued
    {
        let now = context.now
        let parameters = FlowParameters(
            schemaID: identity.schemaID,
            requestURL: urls.selfService + FlowKind.recovery.initPath,
            identityID: identity.id
        )
        let begun = flows.begin(.recovery, parameters: parameters, at: now, random: random)
        var flow = Flow(
            id: begun.id,
            kind: .recovery,
            parameters: parameters,
            issuedAt: begun.issuedAt,
            lifespan: lifespan
        )
        flow.state = .sentEmail
        flow.language = language
        flow = lifecycle.showing(Form(messages: [.recoveryCodeSent]), in: flow, at: now)
        let code = OneTimeCode(random: random)
        let address = ContactAddress(identity: identity.id)
        let issued = IssuedCode(
            address: address,
            identityID: identity.id,
            sealed: keys.seal(code, flow: flow.id, address: address.value),
            expiresAt: flow.expiresAt
        )
        let event = audit.event(.recoveryCodeMade, of: identity.id, by: .operator, in: context, at: now)
        try await database.transaction { [flow] transaction in
            try FlowRepository.insert(flow, in: transaction)
            try CodeRepository.replace(issued, of: flow.id, guesses: .forgotten, at: now, in: transaction)
            try AuditLog.append(event, in: transaction)
        }
        return Issued(flow: flow, code: code)
    }

    /// Returns the response with the code, which must not be cached.
    private func answer(_ issued: Issued) -> HTTP.Response {
        var writer = JSONWriter(reserving: 256)
        writer.object { writer in
            writer.name("recovery_link")
            writer.string(link(to: issued.flow.id))
            writer.name("recovery_code")
            writer.string(issued.code.exposed)
            writer.name("expires_at")
            writer.time(issued.flow.expiresAt)
        }
        var response = HTTP.Response.json(201, body: writer.bytes)
        response.headers["Cache-Control"] = "no-store"
        return response
    }

    /// Returns the URL of the configured recovery page, or the URL of the flow itself if no page is
    /// configured.
    private func link(to flow: Identifier) -> String {
        guard let page = settings.page else {
            // Clients read the parameter `flow`, as in Kratos's links. A request to the link itself returns
            // the flow.
            return urls.selfService + FlowKind.recovery.showPath + "?id=\(flow)&flow=\(flow)"
        }
        return page + (page.contains("?") ? "&" : "?") + "flow=\(flow)"
    }

    /// Returns the id in the body; `nil` if it is missing.
    ///
    /// - Throws: ``ServerError`` with status 400 for any value other than a UUID.
    private static func identifier(_ value: OrderedJSON?) throws(ServerError) -> Identifier? {
        switch value {
        case nil, .null?: return nil
        case .string(let text)?:
            if let id = Identifier(text) { return id }
            fallthrough
        case .some: throw .malformed("The member identity_id must be a UUID.")
        }
    }

    /// Rejects flow types that Kratos does not define.
    ///
    /// Both of Kratos's types create the same kind of flow.
    private static func checkFlowType(_ value: OrderedJSON?) throws(ServerError) {
        guard [nil, .null, .string("api"), .string("browser")].contains(value) else {
            throw .malformed("The member flow_type must be api or browser.")
        }
    }

    /// Returns a duration in Kratos's format, such as `1h30m`; `nil` if it is missing or empty.
    ///
    /// - Throws: ``ServerError`` with status 400 if the format is invalid, or the duration is zero or more
    ///   than 30 days.
    private static func lifespan(_ value: OrderedJSON?) throws(ServerError) -> Duration? {
        let refusal = ServerError.malformed(
            "The member expires_in must be a duration such as 1h, 1m30s or 500ms."
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
