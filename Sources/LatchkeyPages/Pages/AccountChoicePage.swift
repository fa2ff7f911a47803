/// The page that asks which account to use for a client.
package struct AccountChoicePage: HTMLPage {
    package let account: UntrustedText
    package let client: PageClient?
    package let form: PageForm

    /// The buttons submit ``ConsentPage/Decision/approve`` or ``ConsentPage/Decision/switchAccount``, or
    /// ``ConsentPage/Decision/refuse`` if there is a client.
    package init(account: String, client: PageClient?, form: PageForm) {
        self.account = UntrustedText(address: account)
        self.client = client
        self.form = form
    }

    package func parts(in context: PageContext) -> PageParts {
        let texts = context.texts
        func button(_ label: HTML, decision: ConsentPage.Decision) -> HTML.Button {
            HTML.Button(label, name: ConsentPage.decisionField, value: decision.rawValue)
        }
        var buttons = [
            button(texts.html(.continueAs, with: [.account: account]), decision: .approve).primary,
            button(texts.html(.otherAccount), decision: .switchAccount),
        ]
        if client != nil { buttons.append(button(texts.html(.cancel), decision: .refuse)) }
        let content = HTML { html in
            if let client {
                html.paragraph(texts.html(.signInForClient, with: [.client: client.name]))
            }
            html.form(form, buttons: buttons)
        }
        var parts = PageParts(texts(.chooseAccount), content: content)
        parts.isLeftByForm = true
        return parts
    }
}
