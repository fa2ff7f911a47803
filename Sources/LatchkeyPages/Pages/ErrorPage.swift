/// The page that says what went wrong and what the user can do.
package struct ErrorPage: HTMLPage {
    package enum Kind: Sendable, CaseIterable {
        /// The form comes from another browser, or its CSRF token is missing or too old.
        case formInvalid
        case pageExpired
        case cookiesOff
        /// The address to return to isn't allowed.
        case linkForbidden
        /// An authorization request that can't be answered at its redirect URI.
        case requestInvalid
        /// The page belongs to the session of another user.
        case wrongAccount
        case tooManyRequests
        case notFound
        case serverProblem

        fileprivate var status: Int {
            switch self {
            case .formInvalid, .wrongAccount: 403
            case .pageExpired: 410
            case .cookiesOff, .linkForbidden, .requestInvalid: 400
            case .tooManyRequests: 429
            case .notFound: 404
            case .serverProblem: 500
            }
        }

        fileprivate var words: (PageText, PageText) {
            switch self {
            case .formInvalid: (.formInvalid, .formInvalidHint)
            case .pageExpired: (.pageExpired, .pageExpiredHint)
            case .cookiesOff: (.cookiesOff, .cookiesOffHint)
            case .linkForbidden: (.linkForbidden, .linkForbiddenHint)
            case .requestInvalid: (.requestInvalid, .requestInvalidHint)
            case .wrongAccount: (.wrongAccount, .wrongAccountHint)
            case .tooManyRequests: (.tooManyRequests, .tooManyRequestsHint)
            case .notFound: (.notFound, .notFoundHint)
            case .serverProblem: (.serverProblem, .serverProblemHint)
            }
        }
    }

    package let kind: Kind
    /// The id of the request, which the operator finds in the log.
    package let reference: UntrustedText?
    /// The page on which the user can start again.
    package let restart: PageRoute
    package let parameters: PageParameters

    package init(
        _ kind: Kind,
        reference: String?,
        restart: PageRoute = .welcome,
        parameters: PageParameters = PageParameters()
    ) {
        self.kind = kind
        self.reference = reference.map { UntrustedText($0) }
        self.restart = restart
        self.parameters = parameters
    }

    package var status: Int { kind.status }

    package func parts(in context: PageContext) -> PageParts {
        let texts = context.texts
        let (heading, hint) = kind.words
        let content = HTML { html in
            html.add(.group, with: [.style(.alert), .role(.alert)]) { $0.paragraph(texts(hint)) }
            if kind != .requestInvalid {
                let url = context.urls.page(restart, with: parameters)
                html.anchor(.init(texts(.startAgain), to: url), style: .primary)
            }
            if let reference {
                html.paragraph(texts.html(.reference, with: [.reference: reference]), style: .hint)
            }
        }
        return PageParts(texts(heading), content: content)
    }
}
