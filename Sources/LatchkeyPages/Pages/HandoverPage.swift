import LatchkeySelfService

/// The page that asks before an app's session is continued in the browser.
package struct HandoverPage: HTMLPage {
    package let client: PageClient
    package let account: UntrustedText
    /// The account that the browser is logged in with, if it is another one.
    package let current: UntrustedText?
    package let form: PageForm

    /// The buttons submit ``ConsentPage/Decision/approve`` or ``ConsentPage/Decision/refuse``.
    package init(client: PageClient, account: String, current: String?, form: PageForm) {
        self.client = client
        self.account = UntrustedText(address: account)
        self.current = current.map { UntrustedText(address: $0) }
        self.form = form
    }

    package func parts(in context: PageContext) -> PageParts {
        let texts = context.texts
        func button(_ label: String, decision: ConsentPage.Decision) -> HTML.Button {
            HTML.Button(label, name: ConsentPage.decisionField, value: decision.rawValue)
        }
        let content = HTML { html in
            html.paragraph(texts.html(.continueFromApp, with: [.client: client.name]))
            if let current { html.paragraph(texts.html(.replacesAccount, with: [.account: current])) }
            html.form(
                form,
                buttons: [
                    button(texts(FormText.proceed), decision: .approve).primary,
                    button(texts(.cancel), decision: .refuse),
                ]
            )
        }
        var parts = PageParts(.continueAs, with: [.account: account], in: texts, content: content)
        parts.isLeftByForm = true
        return parts
    }
}
