import LatchkeySelfService

/// A page that tells the user about a state in which there is no form to fill in.
package struct NoticePage: HTMLPage {
    package enum Notice: Sendable {
        /// The address was confirmed on this device, but the flow began on another one.
        case confirmedElsewhere
        /// The user has reported a mailed link that another user asked for.
        case reported
        case linkUsed, linkExpired
        /// The user has already allowed or refused the request of a client.
        case requestAnswered
        case requestExpired
        /// The request of a client belongs to another browser.
        case requestElsewhere
        case signedOut
        /// The code of an app's session was used, has expired or is unknown.
        case handoverEnded
    }

    package let notice: Notice
    /// The client of the request, which the user may go back to.
    package let client: PageClient?
    /// The page on which the user can start again, if there is one.
    package let restart: PageRoute?
    package let parameters: PageParameters

    package init(
        _ notice: Notice,
        client: PageClient? = nil,
        restart: PageRoute? = nil,
        parameters: PageParameters = PageParameters()
    ) {
        self.notice = notice
        self.client = client
        self.restart = restart
        self.parameters = parameters
    }

    package var status: Int {
        switch notice {
        case .linkUsed, .linkExpired, .requestAnswered, .requestExpired, .handoverEnded: 410
        case .requestElsewhere: 403
        case .confirmedElsewhere, .reported, .signedOut: 200
        }
    }

    package func parts(in context: PageContext) -> PageParts {
        let texts = context.texts
        let (heading, hint) = words
        let content = HTML { html in
            if let hint {
                html.paragraph(texts(hint))
            } else if refersToClient {
                html.paragraph(
                    client.map { texts.html(.backToClient, with: [.client: $0.name]) }
                        ?? texts.html(.backToApp)
                )
            }
            html.links(links(in: context))
        }
        return PageParts(texts(heading), content: content)
    }

    private var refersToClient: Bool {
        switch notice {
        case .requestAnswered, .requestExpired, .requestElsewhere: true
        default: false
        }
    }

    private var words: (PageText, PageText?) {
        switch notice {
        case .confirmedElsewhere: (.addressConfirmed, .confirmedElsewhere)
        case .reported: (.notMeDone, .notMeDoneHint)
        case .linkUsed: (.linkUsed, .askForNewOne)
        case .linkExpired: (.linkExpired, .askForNewOne)
        case .requestAnswered: (.requestAnswered, nil)
        case .requestExpired: (.requestExpired, nil)
        case .requestElsewhere: (.requestElsewhere, nil)
        case .signedOut: (.signedOut, nil)
        case .handoverEnded: (.handoverEnded, .handoverEndedHint)
        }
    }

    private func links(in context: PageContext) -> [HTML.Anchor] {
        let (texts, urls) = (context.texts, context.urls)
        var links: [HTML.Anchor] = []
        if let client, let url = client.url {
            let label = texts.html(.goToClient, with: [.client: client.name])
            links.append(HTML.Anchor(label, to: url, isForeign: true))
        }
        if let restart {
            links.append(HTML.Anchor(texts(.startAgain), to: urls.page(restart, with: parameters)))
        }
        if notice == .signedOut || notice == .handoverEnded {
            links.append(HTML.Anchor(texts(FormText.signIn), to: urls.page(.login, with: parameters)))
        }
        return links
    }
}
