package import LatchkeyModel
import LatchkeySelfService

/// The page behind a mailed link, whose button does what the link is for.
///
/// Opening the link has no effect, because programs open links in mails, too.
package struct MailedLinkPage: HTMLPage {
    package enum Purpose: Sendable {
        case verification, recovery
    }

    /// The decision that a button submits as ``decisionField``.
    package enum Decision: String, Sendable, CaseIterable {
        case confirm
        case notMe = "not_me"
    }

    /// The name of the buttons, whose values are ``Decision`` values.
    package static let decisionField = "decision"

    package let purpose: Purpose
    /// The address that the mail was sent to, masked if the browser may belong to another user.
    package let address: UntrustedText
    package let client: UntrustedText?
    package let requestedAt: Timestamp
    package let place: UntrustedText?
    /// The form, whose hidden fields contain the flow's id and the code.
    package let form: PageForm

    package init(
        _ purpose: Purpose,
        address: String,
        client: PageClient?,
        requestedAt: Timestamp,
        place: String?,
        form: PageForm
    ) {
        self.purpose = purpose
        self.address = UntrustedText(address: address)
        self.client = client?.name
        self.requestedAt = requestedAt
        self.place = place.map { UntrustedText($0) }
        self.form = form
    }

    package func parts(in context: PageContext) -> PageParts {
        let texts = context.texts
        func button(_ label: String, decision: Decision) -> HTML.Button {
            HTML.Button(label, name: Self.decisionField, value: decision.rawValue)
        }
        let label =
            switch purpose {
            case .verification: texts(.confirm)
            case .recovery: texts(FormText.proceed)
            }
        let content = HTML { html in
            if purpose == .recovery {
                html.add(.paragraph) { $0.untrusted(address) }
            }
            html.paragraph(texts.html(.requestedAt, with: [.time: requestedAt.shown]))
            if let client { html.paragraph(texts.html(.requestedFor, with: [.client: client])) }
            if let place { html.paragraph(texts.html(.requestedNear, with: [.place: place])) }
            html.form(
                form,
                buttons: [
                    button(label, decision: .confirm).primary, button(texts(.notMe), decision: .notMe),
                ]
            )
        }
        return switch purpose {
        case .verification:
            PageParts(.confirmAddress, with: [.address: address], in: texts, content: content)
        case .recovery: PageParts(texts(.recoverAccount), content: content)
        }
    }
}
