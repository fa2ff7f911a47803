import LatchkeySelfService

/// The page after the button behind a mailed link, which leads back to the app that has asked for the link.
///
/// The browser follows the redirection to the app after the button is pressed. If it can't, the page stays, and the
/// user can press the button again or go back to the app on another device.
package struct LinkConfirmedPage: HTMLPage {
    /// The name and value of the button that leads back to the app.
    package static let (actionField, openAction) = ("action", "open")

    package let client: PageClient
    package let form: PageForm

    package init(client: PageClient, form: PageForm) {
        (self.client, self.form) = (client, form)
    }

    package func parts(in context: PageContext) -> PageParts {
        let texts = context.texts
        var open = HTML.Button(texts.html(.openClient, with: [.client: client.name]))
        (open.name, open.value) = (Self.actionField, Self.openAction)
        let content = HTML { html in
            html.paragraph(texts.html(.signedUpHere, with: [.client: client.name]))
            html.form(form, buttons: [open.primary])
            html.paragraph(texts.html(.signedUpElsewhere, with: [.client: client.name]))
        }
        var parts = PageParts(texts(.addressConfirmed), content: content)
        parts.isLeftByForm = true
        return parts
    }
}
