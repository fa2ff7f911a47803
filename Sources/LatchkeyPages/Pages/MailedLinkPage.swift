package import LatchkeyModel
import LatchkeySelfService
package import LatchkeyWire

/// The page behind a mailed link in a browser that hasn't asked for it, whose button does what the link is for.
///
/// Opening the link has no effect, because programs open links in mails, too.
package struct MailedLinkPage: HTMLPage {
    package enum Purpose: Sendable {
        case verification, recovery
    }

    package let purpose: Purpose
    /// The address that the mail was sent to, masked because mails are forwarded.
    package let address: UntrustedText
    package let client: UntrustedText?
    package let requestedAt: Timestamp
    package let place: UntrustedText?
    /// The errors of an earlier attempt.
    package var errors: [UIMessage] = []
    /// The form, whose hidden fields contain the code.
    package let form: PageForm
    /// The URL that the button "This was not me" posts the form to.
    package let report: LinkURL
    /// Whether the form can lead to a page of the operator.
    package var isLeftByForm = false

    package init(
        _ purpose: Purpose,
        address: String,
        client: PageClient?,
        requestedAt: Timestamp,
        place: String?,
        form: PageForm,
        report: LinkURL
    ) {
        self.purpose = purpose
        self.address = UntrustedText(address: address)
        self.client = client?.name
        self.requestedAt = requestedAt
        self.place = place.map { UntrustedText($0) }
        self.form = form
        self.report = report
    }

    package func parts(in context: PageContext) -> PageParts {
        let texts = context.texts
        let label =
            switch purpose {
            case .verification: texts(.confirm)
            case .recovery: texts(FormText.proceed)
            }
        var notMe = HTML.Button(texts(.notMe))
        notMe.url = report
        let buttons = [HTML.Button(label).primary, notMe]
        let content = HTML { html in
            FlowMessages.write([], errors: errors.map { .init(text: texts($0), field: nil) }, to: &html)
            if purpose == .recovery {
                html.add(.paragraph) { $0.untrusted(address) }
            }
            html.paragraph(texts.html(.requestedAt, with: [.time: requestedAt.shown]))
            if let client { html.paragraph(texts.html(.requestedFor, with: [.client: client])) }
            if let place { html.paragraph(texts.html(.requestedNear, with: [.place: place])) }
            html.form(form, buttons: buttons)
        }
        var parts =
            switch purpose {
            case .verification:
                PageParts(.confirmAddress, with: [.address: address], in: texts, content: content)
            case .recovery: PageParts(texts(.recoverAccount), content: content)
            }
        parts.error = errors.first.map { texts($0) }
        parts.isLeftByForm = isLeftByForm
        return parts
    }
}
