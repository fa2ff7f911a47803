package import LatchkeyModel
package import LatchkeySelfService
package import LatchkeyWire

/// The page of a self-service flow, which renders the nodes of its form.
package struct FlowPage: HTMLPage {
    /// The authorization request that a flow belongs to.
    package struct Request: Sendable {
        package let client: PageClient
        /// The URL that the button "Cancel" posts the form to, to refuse the request.
        ///
        /// A flow that can be skipped has none.
        package let cancel: LinkURL?

        package init(client: PageClient, cancel: LinkURL?) {
            self.client = client
            self.cancel = cancel
        }
    }

    /// The id of the flow.
    package let id: String
    package let kind: FlowKind
    package let state: FlowState
    package let isReauthentication: Bool
    /// The method that was submitted most recently.
    package let active: String?
    /// The nodes with the CSRF token, and the messages, both with their English texts.
    package var ui: FlowBody.UI
    /// The parameters that links to other pages carry along.
    package var parameters: PageParameters
    package var request: Request?
    /// The group of nodes that the user has chosen on the page with the settings, from the query's `section`.
    package var section: String?
    /// The identifier of the account whose settings are shown, for password managers.
    package var account: String?
    package var offersRecovery = true
    package var offersRegistration = true
    /// The URL of the link "Not now", if the user may skip the flow.
    package var skip: LinkURL?
    /// The address that a code was sent to, or `nil` if the flow isn't waiting for one, or if the user of the page may be
    /// another one than the user who has asked for the code.
    package let codeAddress: ContactAddress?
    /// Whether a submission can lead to a client or to an external return address.
    package var isLeftByForm: Bool

    /// Creates the page of a flow.
    ///
    /// A submission is assumed to be able to lead elsewhere if the flow has a return address or belongs to an
    /// authorization request.
    package init(_ flow: Flow, ui: FlowBody.UI) {
        id = flow.id.description
        kind = flow.kind
        state = flow.state
        isReauthentication = flow.refresh
        active = flow.active
        self.ui = ui
        parameters = PageParameters(
            returnTo: flow.returnTo,
            loginChallenge: flow.loginChallenge?.description
        )
        let isWaiting = flow.state == .sentEmail && !flow.isOpenedElsewhere
        codeAddress = isWaiting ? flow.address.flatMap { ContactAddress($0) } : nil
        isLeftByForm = flow.returnTo != nil || flow.loginChallenge != nil
    }

    package func parts(in context: PageContext) -> PageParts {
        let texts = context.texts
        let form = FlowForm(of: self, in: texts)
        let content = HTML { html in
            FlowMessages.write(form.messages, errors: form.errors, to: &html)
            introduction(in: texts, to: &html)
            sections(of: form, in: context, to: &html)
            form.write(account: account, cancel: request?.cancel, texts: texts, to: &html)
            html.links(links(in: context))
        }
        var parts = PageParts(heading(in: texts), error: form.errors.first?.text, content: content)
        parts.isLeftByForm = isLeftByForm || request != nil
        return parts
    }

    /// Whether the user has just recovered the account and has to set a password.
    var isRecovered: Bool {
        kind == .settings && ui.messages?.contains { $0.id == .recovered } == true
    }

    private func heading(in texts: PageTexts) -> String {
        switch (kind, state) {
        case (.verification, .passedChallenge): texts(.confirmed)
        case (_, .sentEmail): texts(.enterCode)
        case (.login, _): isReauthentication ? texts(.signInAgain) : texts(FormText.signIn)
        case (.registration, _): texts(FormText.signUp)
        case (.recovery, _): texts(.recoverAccount)
        case (.verification, _): texts(.confirmContact)
        case (.settings, _): isRecovered ? texts(.newPassword) : texts(.settings)
        }
    }

    private func introduction(in texts: PageTexts, to html: inout HTML) {
        if let client = request?.client.name {
            let text: PageText = kind == .login ? .signInForClient : .thenClient
            html.paragraph(texts.html(text, with: [.client: client]))
        }
        if let codeAddress {
            let text: PageText = codeAddress.via == .sms ? .codeByText : .codeByMail
            html.paragraph(texts.html(text, with: [.address: UntrustedText(address: codeAddress.value)]))
        }
        guard state == .chooseMethod else { return }
        switch kind {
        case .recovery: html.paragraph(texts(.recoveryHint))
        case .verification: html.paragraph(texts(.verificationHint))
        case .login, .registration, .settings: break
        }
    }

    /// Appends links to the sections of the settings.
    ///
    /// Each section is a form with one button, so that the Enter key submits what the user has typed.
    private func sections(of form: FlowForm, in context: PageContext, to html: inout HTML) {
        guard form.sections.count > 1 else { return }
        let page = context.urls.page(.settings).adding("flow", value: id)
        html.add(.nav, with: [.ariaLabel(context.texts(.settings))]) { html in
            html.add(.list, with: [.style(.sections)]) { html in
                for section in form.sections {
                    html.add(.item) { html in
                        let isCurrent = section.group == form.section
                        html.add(
                            .link,
                            with: [
                                .href(page.adding("section", value: section.group)),
                                isCurrent ? .current : nil,
                            ]
                        ) { $0.text(section.title) }
                    }
                }
            }
        }
    }

    private func links(in context: PageContext) -> [HTML.Anchor] {
        let texts = context.texts
        func link(_ text: String, to route: PageRoute) -> HTML.Anchor {
            HTML.Anchor(text, to: context.urls.page(route, with: parameters))
        }
        var links: [HTML.Anchor] = []
        switch kind {
        case .login where state == .sentEmail: links.append(link(texts(.backToSignIn), to: .login))
        case .login where !isReauthentication:
            if offersRecovery { links.append(link(texts(.forgotPassword), to: .recovery)) }
            if offersRegistration { links.append(link(texts(FormText.signUp), to: .registration)) }
        case .login: break
        case .registration: links.append(link(texts(.haveAccount), to: .login))
        case .recovery: links.append(link(texts(.backToSignIn), to: .login))
        case .verification: break
        case .settings: links.append(link(texts(.yourAccount), to: .welcome))
        }
        if let skip { links.append(HTML.Anchor(texts(.notNow), to: skip)) }
        return links
    }
}
