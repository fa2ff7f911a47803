package import LatchkeyModel
package import LatchkeyWire

/// What a client is to do after a flow (Kratos's `continue_with`).
package enum ContinueWith: Sendable {
    /// To use a session.
    case sessionToken(Secret)

    /// To have somebody type in the code that was sent to an address.
    case verification(flow: Identifier, address: String)

    /// To let somebody change their settings.
    case settings(flow: Identifier)

    /// To begin a recovery anew.
    case recovery(flow: Identifier)
}

extension JSONWriter {
    /// Writes what to do next, as a list.
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
