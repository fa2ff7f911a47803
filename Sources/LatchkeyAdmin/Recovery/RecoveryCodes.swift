import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServerKit
import LatchkeyWire

/// The admin endpoint that creates a recovery code.
///
/// The operator passes the code on to the user. The code is issued for an identity, not for an address.
/// Submitting the code logs the user in, but it doesn't verify any address.
struct RecoveryCodes: Sendable {
    /// The maximum size of a request body, in bytes.
    private static let bodyLimit = 4096
    /// The members that are allowed in the request body.
    private static let members: Set = ["identity_id", "expires_in", "flow_type"]
    /// The maximum lifespan that an operator can specify for a code.
    private static let longestLifespan: Duration = .seconds(30 * 86_400)

    /// A recovery flow and its plain-text code.
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

    /// Creates the endpoint.
    ///
    /// - Parameters:
    ///   - identities: The repository of identities.
    ///   - language: The language of the recovery form.
    ///   - keys: The keys that are used to compute the MAC of the code.
    ///   - flows: Creates the recovery flow.
    ///   - lifecycle: Renders the form of the flow.
    ///   - settings: Specifies whether recovery is enabled and the URL of the recovery page.
    ///   - codeSettings: Specifies the default lifespan of a code.
    ///   - urls: The server's public URLs, which are used to create the link to the flow.
    ///   - random: The random source for the code.
    ///   - audit: The audit log.
    ///   - database: The database. The flow, the code and the audit event are stored in one transaction.
    init(
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

    /// The endpoint that creates recovery codes.
    ///
    /// A code can be valid for up to 30 days. Responses contain `Cache-Control: no-store`.
    var endpoints: [Endpoint] {
        [
            Endpoint(
                .post,
                AdminRoute.recoveryCode,
                below: .server,
                accepts: .adminToken,
                operation: .createRecoveryCode,
                answer: create
            )
        ]
    }

    /// Creates a code for an identity and returns it together with a link to the flow.
    ///
    /// A code can also be created for an inactive identity, but it only works when the identity is active
    /// again.
    ///
    /// - Throws: ``ServerError`` with status 400 if the body is invalid, or 404 if recovery is disabled or
    ///   the identity doesn't exist.
    private func create(_ context: RequestContext) async throws -> HTTP.Response {
        let body = try context.json(limit: Self.bodyLimit)
        _ = try body.members(among: Self.members)
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

    /// Creates a recovery flow that expects a code, and stores it together with the code and an audit event.
    ///
    /// The flow and the code expire at the same time. Only the MAC of the code is stored.
    ///
    /// - Throws: ``DatabaseError``. In this case, the flow, the code and the event are not stored.
    private func issue(for identity: IdentityRecord, lifespan: Duration, in context: RequestContext)
        async throws
        -> Issued
    {
        let now = context.now
        let parameters = FlowParameters(
            schemaID: identity.schemaID,
            requestURL: urls.selfService + FlowKind.recovery.startPath(for: .api),
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

    /// Creates the response with the code.
    ///
    /// The response must not be cached.
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

    /// Returns the URL of the recovery page, or the URL of the flow if no recovery page is configured.
    private func link(to flow: Identifier) -> String {
        guard let page = settings.page else {
            // Clients read the parameter `flow`, as they do with Kratos's links. A GET request for this URL
            // returns the flow.
            return urls.selfService + FlowKind.recovery.showPath + "?id=\(flow)&flow=\(flow)"
        }
        return page + (page.contains("?") ? "&" : "?") + "flow=\(flow)"
    }

    /// Returns the id in the body, or `nil` if there is none.
    ///
    /// - Throws: ``ServerError`` with status 400 if the value isn't a UUID.
    private static func identifier(_ value: OrderedJSON?) throws(ServerError) -> Identifier? {
        switch value {
        case nil, .null?: return nil
        case .string(let text)?:
            if let id = Identifier(text) { return id }
            fallthrough
        case .some: throw .malformed("The member identity_id must be a UUID.")
        }
    }

    /// Rejects flow types that Kratos doesn't define.
    ///
    /// On this server, both of Kratos's flow types create the same kind of flow.
    private static func checkFlowType(_ value: OrderedJSON?) throws(ServerError) {
        guard [nil, .null, .string("api"), .string("browser")].contains(value) else {
            throw .malformed("The member flow_type must be api or browser.")
        }
    }

    /// Parses a duration in Kratos's format, such as `1h30m`.
    ///
    /// Returns `nil` if it is missing or empty.
    ///
    /// - Throws: ``ServerError`` with status 400 if the format is invalid, or if the duration is zero or
    ///   longer than 30 days.
    private static func lifespan(_ value: OrderedJSON?) throws(ServerError) -> Duration? {
        let refusal = ServerError.malformed(
            "The member expires_in must be a duration such as 1h, 1m30s or 500ms."
        )
        switch value {
        case nil, .null?: return nil
        case .string(let text)?:
            guard !text.isEmpty else { return nil }
            guard let duration = Duration(goText: text), duration > .zero, duration <= longestLifespan
            else {
                throw refusal
            }
            return duration
        case .some: throw refusal
        }
    }
}
