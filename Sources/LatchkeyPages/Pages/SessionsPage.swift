package import LatchkeyModel

/// The page that lists the user's sessions, and that ends one or all of them.
package struct SessionsPage: HTMLPage {
    /// A session of the user.
    package struct Session: Sendable {
        package let id: String
        /// The name of the client or device.
        package let name: UntrustedText?
        /// The registered name of the client that the app has named.
        package let client: UntrustedText?
        /// The network that the session was last used from.
        package let place: UntrustedText?
        package let lastUsed: Timestamp
        /// Whether this is the session of the request.
        package let isOwn: Bool

        package init(
            id: String,
            name: String?,
            client: String? = nil,
            place: String?,
            lastUsed: Timestamp,
            isOwn: Bool
        ) {
            self.id = id
            self.client = client.map { UntrustedText($0) }
            self.name = name.map { UntrustedText($0) }
            self.place = place.map { UntrustedText($0) }
            self.lastUsed = lastUsed
            self.isOwn = isOwn
        }
    }

    /// The name of the buttons that end one session, whose values are the ids of the sessions.
    package static let sessionField = "session"
    /// The name of the button that ends all sessions, whose value is `true`.
    package static let everywhereField = "everywhere"

    package let sessions: [Session]
    package let form: PageForm
    /// Whether the request before this one has ended a session.
    package let hasRevoked: Bool

    package init(_ sessions: [Session], form: PageForm, hasRevoked: Bool = false) {
        self.sessions = sessions
        self.form = form
        self.hasRevoked = hasRevoked
    }

    package func parts(in context: PageContext) -> PageParts {
        let texts = context.texts
        var everywhere = HTML.Button(
            texts(.signOutEverywhere),
            name: Self.everywhereField,
            value: "true"
        )
        everywhere.isPrimary = true
        let content = HTML { html in
            if hasRevoked { html.status([texts(.sessionEnded)]) }
            html.form(form, buttons: [everywhere]) { html in
                html.add(.list, with: [.style(.sessions)]) { html in
                    for session in sessions {
                        html.add(.item) { write(session, in: texts, to: &$0) }
                    }
                }
                html.paragraph(texts(.signOutEverywhereHint), style: .hint)
            }
            html.links([.init(texts(.yourAccount), to: context.urls.page(.welcome))])
        }
        return PageParts(texts(.whereSignedIn), content: content)
    }

    private func write(_ session: Session, in texts: PageTexts, to html: inout HTML) {
        let name = session.name ?? UntrustedText(texts(.unknownDevice))
        html.add(.paragraph) { html in
            html.add(.strong) { $0.untrusted(name) }
            if session.isOwn { html.text(" · " + texts(.thisBrowser)) }
        }
        html.add(.paragraph, with: [.style(.hint)]) { html in
            html.add(.time, with: [.time(session.lastUsed.description)]) { html in
                html.append(texts.html(.lastUsed, with: [.time: session.lastUsed.shown]))
            }
            for detail in [session.client, session.place] {
                guard let detail else { continue }
                html.text(" · ")
                html.untrusted(detail)
            }
        }
        guard !session.isOwn else { return }
        let label = HTML { html in
            html.text(texts(.signOut))
            // Tells the buttons apart for users who don't see the list.
            html.add(.span, with: [.style(.unseen)]) { html in
                html.text(": ")
                html.untrusted(name)
            }
        }
        html.button(.init(label, name: Self.sessionField, value: session.id))
    }
}

extension Timestamp {
    /// The time for users, who may be in any time zone, such as `2026-11-21 08:11 UTC`.
    var shown: UntrustedText {
        UntrustedText(description.prefix(16).replacing("T", with: " ") + " UTC")
    }
}
