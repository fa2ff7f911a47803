import LatchkeySelfService

/// The page that users see if no client or return address is waiting for them.
package struct WelcomePage: HTMLPage {
    /// The name or address of the account, or `nil` if the user isn't logged in.
    package let account: UntrustedText?
    package let offersRegistration: Bool

    package init(account: String?, offersRegistration: Bool = true) {
        self.account = account.map { UntrustedText(address: $0) }
        self.offersRegistration = offersRegistration
    }

    package func parts(in context: PageContext) -> PageParts {
        let (texts, urls) = (context.texts, context.urls)
        let content = HTML { html in
            guard let account else {
                html.paragraph(texts(.notSignedIn))
                html.anchor(.init(texts(FormText.signIn), to: urls.page(.login)), style: .primary)
                guard offersRegistration else { return }
                html.anchor(.init(texts(FormText.signUp), to: urls.page(.registration)), style: .secondary)
                return
            }
            html.paragraph(texts.html(.signedInAs, with: [.account: account]))
            html.links([
                .init(texts(.settings), to: urls.page(.settings)),
                .init(texts(.whereSignedIn), to: urls.page(.sessions)),
                .init(texts(.signOut), to: urls.page(.logout)),
            ])
        }
        return PageParts(texts(.yourAccount), content: content)
    }
}
