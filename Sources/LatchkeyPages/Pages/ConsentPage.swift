import LatchkeySelfService

/// The page that asks the user whether a client may have access to the account.
package struct ConsentPage: HTMLPage {
    /// The decision that a button submits as ``decisionField``.
    package enum Decision: String, Sendable, CaseIterable {
        case approve, refuse
        /// Logs in with another account and continues with the same request.
        case switchAccount = "switch_account"
    }

    /// The client's place that the user returns to.
    package enum Destination: Sendable {
        /// A website, whose host proves who asks.
        case host(UntrustedText)
        /// A private-use scheme or a loopback address, which any app may have claimed.
        case app
    }

    /// A scope that the client asks for.
    package struct Scope: Sendable {
        package let name: String
        /// The operator's description in the language of the page, or `nil` for the built-in one.
        package let description: UntrustedText?
        /// Whether the user can't leave out the scope.
        package let isRequired: Bool
        package let isChosen: Bool

        package init(
            _ name: String,
            description: String? = nil,
            isRequired: Bool = false,
            isChosen: Bool = true
        ) {
            self.name = name
            self.description = description.map { UntrustedText($0) }
            self.isRequired = isRequired
            self.isChosen = isChosen
        }
    }

    /// The question that the page asks.
    package enum Question: Sendable {
        case scopes([Scope])
        /// Only whether to continue, because the client needs no consent but its redirect URI can't be verified.
        case proceed
    }

    /// The name of the buttons, whose values are ``Decision`` values.
    package static let decisionField = "decision"
    /// The name of the check boxes and hidden fields with the scopes that are granted.
    package static let scopeField = "grant_scope"

    package let client: PageClient
    package let account: UntrustedText
    package let destination: Destination
    package let question: Question
    package let form: PageForm

    package init(
        client: PageClient,
        account: String,
        destination: Destination,
        question: Question,
        form: PageForm
    ) {
        self.client = client
        self.account = UntrustedText(address: account)
        self.destination = destination
        self.question = question
        self.form = form
    }

    package func parts(in context: PageContext) -> PageParts {
        let texts = context.texts
        let logo = context.showsLogos ? client.logo : nil
        let content = HTML { html in
            if let logo {
                html.add(
                    .image,
                    with: [.source(logo), .decorative, .style(.logo), .noImageReferrer]
                        + HTML.Attribute.size(64)
                )
            }
            switch destination {
            case .host(let host): html.paragraph(texts.html(.redirectsToHost, with: [.host: host]))
            case .app: html.paragraph(texts(.redirectsToApp))
            }
            html.paragraph(texts.html(.signedInAs, with: [.account: account]))
            html.form(form, buttons: buttons(in: texts)) { html in
                if case .scopes(let scopes) = question { write(scopes, in: texts, to: &html) }
            }
            html.links(clientLinks(in: texts))
        }
        let heading: PageText =
            switch question {
            case .scopes: .consentTitle
            case .proceed: .continueTitle
            }
        var parts = PageParts(heading, with: [.client: client.name], in: texts, content: content)
        parts.isLeftByForm = true
        parts.showsLogo = logo != nil
        return parts
    }

    private func buttons(in texts: PageTexts) -> [HTML.Button] {
        func button(_ label: HTML, decision: Decision) -> HTML.Button {
            HTML.Button(label, name: Self.decisionField, value: decision.rawValue)
        }
        func button(_ text: PageText, decision: Decision) -> HTML.Button {
            button(texts.html(text), decision: decision)
        }
        let approve =
            switch question {
            case .scopes: button(.allow, decision: .approve)
            case .proceed:
                button(
                    texts.html(.continueToClientAs, with: [.client: client.name, .account: account]),
                    decision: .approve
                )
            }
        return [
            approve.primary, button(.notNow, decision: .refuse),
            button(.otherAccount, decision: .switchAccount),
        ]
    }

    private func write(_ scopes: [Scope], in texts: PageTexts, to html: inout HTML) {
        html.add(.fieldset) { html in
            html.add(.legend) { $0.append(texts.html(.shared, with: [.client: client.name])) }
            let required = scopes.filter(\.isRequired)
            html.hidden(required.map { FormField(name: Self.scopeField, value: $0.name) })
            if !required.isEmpty {
                html.add(.list) { html in
                    for scope in required {
                        html.add(.item) { $0.append(description(of: scope, in: texts)) }
                    }
                }
            }
            for (index, scope) in scopes.enumerated() where !scope.isRequired {
                let id = HTML.ID.field(index + 1)
                html.add(.group, with: [.style(.check)]) { html in
                    html.add(
                        .input,
                        with: [
                            .id(id), .type(.checkbox), .name(Self.scopeField), .value(scope.name),
                            scope.isChosen ? .checked : nil,
                        ]
                    )
                    html.add(.label, with: [.label(for: id)]) { html in
                        html.append(description(of: scope, in: texts))
                    }
                }
            }
        }
    }

    private func description(of scope: Scope, in texts: PageTexts) -> HTML {
        if let description = scope.description { return HTML { $0.untrusted(description) } }
        switch scope.name {
        case "openid": return texts.html(.scopeOpenID)
        case "profile": return texts.html(.scopeProfile)
        case "email": return texts.html(.scopeEmail)
        case "phone": return texts.html(.scopePhone)
        case "offline_access": return texts.html(.scopeOfflineAccess)
        default: return HTML { $0.untrusted(UntrustedText(scope.name)) }
        }
    }

    private func clientLinks(in texts: PageTexts) -> [HTML.Anchor] {
        [(PageText.privacyPolicy, client.privacyPolicy), (.termsOfService, client.termsOfService)].compactMap
        {
            text,
            url in url.map { .init(texts.html(text), to: $0, isForeign: true) }
        }
    }
}
