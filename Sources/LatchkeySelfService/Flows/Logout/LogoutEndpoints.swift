import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The routes with which browsers log out.
struct LogoutEndpoints: Sendable {
    private let tokens: LogoutToken
    private let authenticator: SessionAuthenticator
    private let revoker: SessionRevoker
    private let browsers: BrowserSessions
    private let pages: BrowserPages
    private let returnURLs: ReturnURLs
    private let errors: BrowserErrors
    private let urls: ServerURLs

    init(_ services: ResponderServices, accounts: AccountsModule) {
        tokens = LogoutToken(secrets: services.environment.secrets)
        authenticator = accounts.authenticator
        revoker = accounts.revoker
        browsers = services.browsers
        pages = services.pages
        returnURLs = services.returnURLs
        errors = services.errors
        urls = services.environment.urls
    }

    var endpoints: [Endpoint] {
        [
            Endpoint(
                .get,
                Route.browserLogoutInit,
                accepts: .sessionCookie.exemptFromDuties,
                operation: .beginLogout,
                answer: { context in try await respond(to: context, with: begin) }
            ),
            Endpoint(
                .get,
                Route.browserLogout,
                accepts: .sessionCookie.exemptFromDuties,
                operation: .finishLogout,
                answer: { context in try await respond(to: context, with: finish) }
            ),
        ]
    }

    /// Handles `GET /self-service/logout/browser`.
    ///
    /// The response is JSON for pages, too, which show the address as a link.
    private func begin(_ context: RequestContext) async throws -> HTTP.Response {
        let returnTo = try returnURL(of: context)
        let found = try await authenticator.requiredSession(of: context, for: .browser)
        let token = tokens.token(for: found.session.id)
        let query = "token=" + token + (returnTo.map { "&return_to=" + QueryItems.encode($0) } ?? "")
        var writer = JSONWriter(reserving: 256)
        writer.object { writer in
            writer.name("logout_url")
            writer.string(urls.selfService + Route.browserLogout + "?" + query)
            writer.name("logout_token")
            writer.string(token)
        }
        return .json(200, body: writer.bytes)
    }

    /// Handles `GET /self-service/logout`.
    ///
    /// Everything is checked before the session ends.
    ///
    /// - Throws: ``ServerError`` with status 400 if the return URL isn't allowed or there is no token, 401 if
    ///   there is no session, or 403 if the token belongs to another session.
    private func finish(_ context: RequestContext) async throws -> HTTP.Response {
        let returnTo = try returnURL(of: context)
        guard let token = context.query["token"], !token.isEmpty else {
            throw ServerError.malformed("The query parameter token is missing.")
        }
        let found = try await authenticator.requiredSession(of: context, for: .browser)
        guard tokens.isValid(token, for: found.session.id) else {
            throw ServerError(403, reason: "The logout token belongs to another session.")
        }
        var response = HTTP.Response(204)
        if ResponseFormat(context.request) == .page {
            response = HTTP.Response(303, headers: ["Location": returnTo ?? pages.home])
        }
        // Programs that only look at a link don't use it.
        guard context.request.method != .head, !context.request.isPrefetch else { return response }
        try await revoker.end(found.session.id, of: found.identity.id, as: .loggedOut, in: context)
        browsers.endSession(in: &response)
        return response
    }

    private func returnURL(of context: RequestContext) throws(ServerError) -> String? {
        guard let address = context.query["return_to"], !address.isEmpty else { return nil }
        guard let url = returnURLs.normalized(address) else { throw .returnToForbidden }
        return url
    }

    /// Responds to a request, and shows errors on a page if the browser expects one.
    private func respond(
        to context: RequestContext,
        with answer: (RequestContext) async throws -> HTTP.Response
    ) async throws -> HTTP.Response {
        do {
            var response = try await answer(context)
            response.headers["Vary"] = "Cookie, Accept"
            return response
        } catch {
            guard ResponseFormat(context.request) == .page else { throw error }
            let address = pages.error(errors.id(for: ServerError(anything: error), at: context.now))
            throw AnsweredError(error, response: HTTP.Response(303, headers: ["Location": address]))
        }
    }
}
