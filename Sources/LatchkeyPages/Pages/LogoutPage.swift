/// The page that asks before the user is logged out.
package struct LogoutPage: HTMLPage {
    package let account: UntrustedText
    package let form: PageForm
    /// Whether the logout leads to a registered address of a client.
    package let isLeftByForm: Bool

    package init(account: String, form: PageForm, isLeftByForm: Bool = false) {
        self.account = UntrustedText(address: account)
        self.form = form
        self.isLeftByForm = isLeftByForm
    }

    package func parts(in context: PageContext) -> PageParts {
        let texts = context.texts
        let content = HTML { html in
            html.paragraph(texts.html(.signedInAs, with: [.account: account]))
            html.form(form, buttons: [HTML.Button(texts(.signOut)).primary])
            html.links([.init(texts(.staySignedIn), to: context.urls.page(.welcome))])
        }
        var parts = PageParts(texts(.signOutTitle), content: content)
        parts.isLeftByForm = isLeftByForm
        return parts
    }
}
