package import LatchkeyAccounts
package import LatchkeyOAuth
package import LatchkeySelfService
package import LatchkeyServerKit

/// The server's own pages for browsers.
package struct PagesModule: ServerModule {
    package let routes: [Endpoint]

    /// Shows errors of requests from browsers on a page.
    package let errorPages: Router.ErrorPages

    /// Creates the pages.
    ///
    /// - Parameters:
    ///   - environment: The resources that all modules share.
    ///   - accounts: The accounts, whose sessions a page lists.
    ///   - selfService: The flows that pages show.
    ///   - terms: The documents whose texts have pages.
    ///   - authorizations: Handles the requests of OAuth clients.
    ///   - handovers: Continues the sessions of apps.
    ///   - texts: The texts of forms, with the operator's replacements.
    ///   - service: The name of the service, which is shown above each page, or `nil` for none.
    package init(
        _ environment: ServerEnvironment,
        accounts: AccountsModule,
        selfService: SelfServiceModule,
        terms: TermsCatalog,
        authorizations: Authorizations,
        handovers: Handovers,
        texts: FormTranslations,
        service: String?
    ) {
        let hosted = selfService.hosted
        let renderer = PageRenderer(
            texts: texts,
            urls: PageURLs(
                base: environment.urls.base,
                basePath: environment.urls.basePath,
                replacing: selfService.settings.ui.external
            ),
            service: service
        )
        let answers = PageAnswers(
            hosted: hosted,
            renderer: renderer,
            csrfCookie: environment.cookies.csrf
        )
        routes =
            FlowPageEndpoints(
                answers: answers,
                authenticator: accounts.authenticator,
                identities: accounts.identities
            ).endpoints
            + AccountPageEndpoints(answers: answers, accounts: accounts, environment: environment).endpoints
            + AuthorizationEndpoints(
                answers: answers,
                authenticator: accounts.authenticator,
                identities: accounts.identities,
                authorizations: authorizations
            ).endpoints
            + HandoverEndpoints(
                answers: answers,
                authenticator: accounts.authenticator,
                identities: accounts.identities,
                handovers: handovers
            ).endpoints
            + TermsPageEndpoint(
                answers: answers,
                catalog: terms,
                limiter: accounts.limiter,
                database: environment.database
            ).endpoints
            + ErrorPageEndpoint(answers: answers).endpoints + AssetEndpoints().endpoints
        errorPages = { error, context in await answers.page(for: error, in: context) }
    }
}

extension UISettings {
    /// The operator's own pages that replace the server's.
    fileprivate var external: [PageRoute: LinkURL] {
        let pages: [PageRoute: String?] = [
            .login: login, .registration: registration, .recovery: recovery, .verification: verification,
            .settings: settings, .error: error,
        ]
        return pages.compactMapValues { $0.flatMap { LinkURL($0) } }
    }
}
