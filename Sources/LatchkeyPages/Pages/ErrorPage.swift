import LatchkeySelfService

/// The page that says what went wrong and what the user can do.
package struct ErrorPage: HTMLPage {
    package enum Kind: Sendable, CaseIterable {
        /// The form comes from another browser, or its CSRF token is missing or too old.
        case formInvalid
        /// The form is too large, or lacks a part that our pages always send.
        case formRejected
        case pageExpired
        case cookiesOff
        /// The address to return to isn't allowed.
        case linkForbidden
        /// An authorization request that can't be answered at its redirect URI.
        case requestInvalid
        /// The page belongs to the session of another user.
        case wrongAccount
        case notSignedIn
        /// The account requires a device certificate, which browsers don't have.
        case appOnly
        case registrationClosed
        case codeNotSent
        /// A duty of the account blocks.
        case stepRequired
        case tooManyRequests
        case notFound
        case serverProblem

        fileprivate var status: Int {
            switch self {
            case .formInvalid, .wrongAccount, .appOnly, .registrationClosed, .stepRequired: 403
            case .pageExpired: 410
            case .cookiesOff, .linkForbidden, .requestInvalid, .formRejected, .codeNotSent: 400
            case .notSignedIn: 401
            case .tooManyRequests: 429
            case .notFound: 404
            case .serverProblem: 500
            }
        }

        fileprivate var words: (PageText, PageText) {
            switch self {
            case .formInvalid: (.formInvalid, .formInvalidHint)
            case .formRejected: (.formRejected, .formRejectedHint)
            case .pageExpired: (.pageExpired, .pageExpiredHint)
            case .cookiesOff: (.cookiesOff, .cookiesOffHint)
            case .linkForbidden: (.linkForbidden, .linkForbiddenHint)
            case .requestInvalid: (.requestInvalid, .requestInvalidHint)
            case .wrongAccount: (.wrongAccount, .wrongAccountHint)
            case .notSignedIn: (.signedOut, .signedOutHint)
            case .appOnly: (.appOnly, .appOnlyHint)
            case .registrationClosed: (.registrationClosed, .registrationClosedHint)
            case .codeNotSent: (.codeNotSent, .codeNotSentHint)
            case .stepRequired: (.stepRequired, .stepRequiredHint)
            case .tooManyRequests: (.tooManyRequests, .tooManyRequestsHint)
            case .notFound: (.notFound, .notFoundHint)
            case .serverProblem: (.serverProblem, .serverProblemHint)
            }
        }
    }

    /// The link with which the user continues.
    package enum Way: Sendable {
        /// To the form that the user has filled in.
        case backToForm(LinkURL)
        /// To the page that has failed.
        case tryAgain(LinkURL)
        /// To the beginning, without anything that the user has entered.
        case startAgain(LinkURL)
        case signIn(LinkURL)

        fileprivate func anchor(in texts: PageTexts) -> HTML.Anchor {
            switch self {
            case .backToForm(let url): HTML.Anchor(texts(.backToForm), to: url)
            case .tryAgain(let url): HTML.Anchor(texts(.tryAgain), to: url)
            case .startAgain(let url): HTML.Anchor(texts(.startAgain), to: url)
            case .signIn(let url): HTML.Anchor(texts(FormText.signIn), to: url)
            }
        }
    }

    /// The authorization request that the error has interrupted.
    package struct Request: Sendable {
        package let client: PageClient
        /// The form that refuses the request, whose only button is "Cancel".
        package let cancel: PageForm

        package init(client: PageClient, cancel: PageForm) {
            (self.client, self.cancel) = (client, cancel)
        }
    }

    package let kind: Kind
    /// The id of the request, which the operator finds in the log.
    package let reference: UntrustedText?
    /// The link with which the user continues, or `nil` if there is none.
    package let way: Way?
    package let request: Request?
    /// The number of seconds to wait, or `nil` if it isn't known.
    package let wait: Int?

    package init(
        _ kind: Kind,
        reference: String?,
        way: Way?,
        request: Request? = nil,
        wait: Int? = nil
    ) {
        self.kind = kind
        self.reference = reference.map { UntrustedText($0) }
        self.way = way
        self.request = request
        self.wait = wait
    }

    package var status: Int { kind.status }

    package func parts(in context: PageContext) -> PageParts {
        let texts = context.texts
        let content = HTML { html in
            html.add(.group, with: [.style(.alert), .role(.alert)]) { $0.paragraph(hint(in: texts)) }
            if let request {
                html.paragraph(texts.html(.thenClient, with: [.client: request.client.name]))
            }
            if let way { html.anchor(way.anchor(in: texts), style: .primary) }
            if let request { html.form(request.cancel, buttons: [HTML.Button(texts(.cancel))]) }
            if let reference {
                html.paragraph(texts.html(.reference, with: [.reference: reference]), style: .hint)
            }
        }
        var parts = PageParts(texts(kind.words.0), content: content)
        parts.isLeftByForm = request != nil
        return parts
    }

    private func hint(in texts: PageTexts) -> HTML {
        guard kind == .tooManyRequests, let wait else { return texts.html(kind.words.1) }
        guard wait > 0 else { return texts.html(.tooManyRequestsOver) }
        let time = UntrustedText(WaitingTime(seconds: wait).text(in: texts))
        return texts.html(.tooManyRequestsWait, with: [.time: time])
    }
}
