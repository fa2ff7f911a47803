package import LatchkeyModel

/// A step that the client should take after a flow (`continue_with` in Kratos).
package enum ContinueWith: Sendable {
    /// Use the session with the given token.
    case sessionToken(Secret)

    /// Ask the user for the code that was sent to an address.
    case verification(flow: Identifier, address: String)

    /// Show the given settings flow so that the user can change their settings.
    case settings(flow: Identifier)

    /// Start over with a new recovery flow.
    case recovery(flow: Identifier)
}

extension JSONWriter {
    /// Writes the steps as a JSON array.
    ///
    /// Each step has an `action`, which is `set_ory_session_token`, `show_verification_ui`,
    /// `show_settings_ui` or `show_recovery_ui`.
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
        case .verification(let flow, let address):
            string("show_verification_ui")
            name("flow")
            object { writer in
                writer.name("id")
                writer.identifier(flow)
                writer.name("verifiable_address")
                writer.string(address)
            }
        case .settings(let flow):
            string("show_settings_ui")
            self.flow(flow)
        case .recovery(let flow):
            string("show_recovery_ui")
            self.flow(flow)
        }
    }

    private mutating func flow(_ id: Identifier) {
        name("flow")
        object { writer in
            writer.name("id")
            writer.identifier(id)
        }
    }
}
