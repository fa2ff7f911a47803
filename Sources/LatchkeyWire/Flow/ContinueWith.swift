package import LatchkeyModel

/// A step that the client should take after a flow (`continue_with` in Kratos).
package enum ContinueWith: Sendable {
    /// Use the session with the given token.
    case sessionToken(Secret)

    /// Ask the user for the code that was sent to an address, in browsers on the given page.
    case verification(flow: Identifier, address: String, page: String? = nil)

    /// Show the given settings flow so that the user can change their settings, in browsers on the given page.
    case settings(flow: Identifier, page: String? = nil)

    /// Start over with a new recovery flow.
    case recovery(flow: Identifier)

    /// Go to the given address, in browsers.
    case redirect(to: String)
}

extension JSONWriter {
    /// Writes the steps as a JSON array.
    ///
    /// Each step has an `action`, which is `set_ory_session_token`, `show_verification_ui`,
    /// `show_settings_ui`, `show_recovery_ui` or `redirect_browser_to`.
    package mutating func continuation(_ items: [ContinueWith]) {
        array { writer in
            for item in items { writer.object { $0.members(of: item) } }
        }
    }

    private mutating func members(of item: ContinueWith) {
        name("action")
        switch item {
        case .sessionToken(let token):
            string("set_ory_session_token")
            name("ory_session_token")
            string(token.exposed)
        case .verification(let flow, let address, let page):
            string("show_verification_ui")
            name("flow")
            object { writer in
                writer.name("id")
                writer.identifier(flow)
                writer.name("verifiable_address")
                writer.string(address)
                writer.url(page)
            }
        case .settings(let flow, let page):
            string("show_settings_ui")
            self.flow(flow, page: page)
        case .recovery(let flow):
            string("show_recovery_ui")
            self.flow(flow)
        case .redirect(let address):
            string("redirect_browser_to")
            name("redirect_browser_to")
            string(address)
        }
    }

    private mutating func flow(_ id: Identifier, page: String? = nil) {
        name("flow")
        object { writer in
            writer.name("id")
            writer.identifier(id)
            writer.url(page)
        }
    }

    private mutating func url(_ page: String?) {
        guard let page else { return }
        name("url")
        string(page)
    }
}
