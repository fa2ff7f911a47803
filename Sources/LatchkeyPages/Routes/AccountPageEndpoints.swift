import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServerKit
import LatchkeyWire

/// The pages of a user who is logged in: overview, sessions and logout.
struct AccountPageEndpoints: Sendable {
    /// The number of sessions that the page lists, those with the latest ids.
    private static let sessionLimit = 100

    private let answers: PageAnswers
    private let authenticator: SessionAuthenticator
    private let identities: IdentityRepository
    private let directory: SessionDirectory
    private let revoker: SessionRevoker
    private let audit: AuditLog
    private let environment: ServerEnvironment

    init(answers: PageAnswers, accounts: AccountsModule, environment: ServerEnvironment) {
        self.answers = answers
        self.environment = environment
        authenticator = accounts.authenticator
        identities = accounts.identities
        directory = accounts.directory
        revoker = accounts.revoker
        audit = accounts.audit
    }

    var endpoints: [Endpoint] {
        [
            endpoint(.get, .welcome, "Shows the user's account.", answer: welcome),
            endpoint(.get, .sessions, "Lists the user's sessions.", answer: sessions),
            endpoint(.post, .sessions, "Ends one or all of the user's sessions.", answer: endSessions),
            endpoint(.get, .logout, "Asks whether to log out.", answer: logout),
            endpoint(.post, .logout, "Logs the user out.", answer: endSession),
        ]
    }

    private func endpoint(
        _ method: HTTP.Method,
        _ route: PageRoute,
        _ summary: String,
        answer: @escaping Endpoint.Answer
    ) -> Endpoint {
        Endpoint(
            method,
            answers.renderer.urls.path(of: route),
            below: .server,
            accepts: .session(SessionCredentials(.considered, carrier: .cookie)),
            errors: .page,
            operation: .page(route, summary, posting: method == .post),
            answer: answer
        )
    }

    // MARK: Overview

    private func welcome(_ context: RequestContext) async throws -> HTTP.Response {
        let found = try await authenticator.session(of: context)
        var account: String?
        if let found { account = try await name(of: found.identity.id) }
        let page = WelcomePage(account: account, offersRegistration: answers.hosted.offersRegistration)
        return answers.response(with: page, to: context)
    }

    /// Returns the name by which a user recognizes the account.
    private func name(of identity: Identifier) async throws -> String {
        try await identities.identifier(of: identity) ?? identity.description
    }

    // MARK: Sessions

    private func sessions(_ context: RequestContext) async throws -> HTTP.Response {
        guard let found = try await authenticator.session(of: context) else {
            return answers.redirection(
                to: answers.hosted.login(returnTo: answers.renderer.urls.path(of: .sessions))
            )
        }
        let request = try PageRequest(
            QueryItems("page_size=\(Self.sessionLimit)"),
            keySize: 16,
            hasNumbers: true
        )
        let all = try await directory.page(of: found.identity.id, request, isActive: true, at: context.now)
        let listed = all.entries.map { listed in
            let session = listed.session
            return SessionsPage.Session(
                id: session.id.description,
                name: session.userAgent.isEmpty ? nil : session.userAgent,
                client: session.clientName.flatMap { $0.isEmpty ? nil : $0 } ?? session.clientID,
                place: Self.host(in: session.ipAddress),
                lastUsed: session.authenticatedAt,
                isOwn: session.id == found.session.id
            )
        }
        let context = answers.hosted.starting(context)
        let page = SessionsPage(
            listed.filter(\.isOwn) + listed.filter { !$0.isOwn },
            form: form(.sessions, in: context),
            hasRevoked: context.query["ended"] != nil
        )
        var response = answers.response(with: page, to: context)
        answers.hosted.setSecret(of: context, in: &response)
        return response
    }

    /// Returns an address without its port.
    private static func host(in address: String) -> String {
        address.hasPrefix("[")
            ? String(address.dropFirst().prefix { $0 != "]" }) : String(address.prefix { $0 != ":" })
    }

    private func form(
        _ route: PageRoute,
        in context: RequestContext,
        fields: [FormField] = []
    ) -> PageForm {
        PageForm(
            action: answers.renderer.urls.page(route),
            csrfToken: answers.hosted.token(for: context),
            fields: fields
        )
    }

    private func endSessions(_ context: RequestContext) async throws -> HTTP.Response {
        let form = try answers.form(of: context)
        guard let found = try await authenticator.session(of: context) else {
            return answers.redirection(
                to: answers.hosted.login(returnTo: answers.renderer.urls.path(of: .sessions))
            )
        }
        if form[SessionsPage.everywhereField] == "true" {
            try await endAll(of: found, in: context)
            return signedOut(leadingTo: answers.renderer.urls.page(.logout).text)
        }
        guard let id = form[SessionsPage.sessionField].flatMap({ Identifier($0) }) else {
            throw ServerError.malformed("The form names no session.")
        }
        try await endOne(id, of: found, in: context)
        return answers.redirection(to: answers.renderer.urls.page(.sessions).text + "?ended=1")
    }

    private func endOne(
        _ id: Identifier,
        of found: AuthenticatedSession,
        in context: RequestContext
    ) async throws {
        let owner = found.identity.id
        let event = audit.event(
            .sessionRevoked,
            of: owner,
            in: context,
            about: id.description,
            at: context.now
        )
        try await environment.database.transaction { transaction in
            guard try SessionRepository.revoke(id, of: owner, at: context.now, in: transaction) else {
                return
            }
            try AuditLog.append(event, in: transaction)
        }
    }

    private func endAll(of found: AuthenticatedSession, in context: RequestContext) async throws {
        let owner = found.identity.id
        let event = audit.event(.sessionsRevoked, of: owner, in: context, at: context.now)
        try await environment.database.transaction { transaction in
            try SessionRepository.revokeAll(of: owner, at: context.now, in: transaction)
            try AuditLog.append(event, in: transaction)
        }
    }

    // MARK: Logout

    /// Asks before logging out, so that a link or an image on another site can't log the user out.
    private func logout(_ context: RequestContext) async throws -> HTTP.Response {
        guard let found = try await authenticator.session(of: context) else {
            return answers.response(with: NoticePage(.signedOut), to: context)
        }
        let returnTo = try returnURL(context.query["return_to"])
        let context = answers.hosted.starting(context)
        let page = LogoutPage(
            account: try await name(of: found.identity.id),
            form: form(
                .logout,
                in: context,
                fields: returnTo.map { [FormField(name: "return_to", value: $0)] } ?? []
            ),
            isLeftByForm: returnTo != nil
        )
        var response = answers.response(with: page, to: context)
        answers.hosted.setSecret(of: context, in: &response)
        return response
    }

    private func endSession(_ context: RequestContext) async throws -> HTTP.Response {
        let form = try answers.form(of: context)
        let returnTo = try returnURL(form["return_to"])
        if let found = try await authenticator.session(of: context) {
            try await revoker.end(found.session.id, of: found.identity.id, as: .loggedOut, in: context)
        }
        return signedOut(leadingTo: returnTo ?? answers.renderer.urls.page(.logout).text)
    }

    private func returnURL(_ address: String?) throws(ServerError) -> String? {
        guard let address, !address.isEmpty else { return nil }
        guard let url = answers.hosted.returnURL(address) else { throw .returnToForbidden }
        return url
    }

    private func signedOut(leadingTo address: String) -> HTTP.Response {
        var response = answers.redirection(to: address)
        answers.hosted.endSession(in: &response)
        return response
    }
}
