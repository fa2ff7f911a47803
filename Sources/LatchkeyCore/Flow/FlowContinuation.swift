import LatchkeyWire

/// A step that the server suggests after a submission (Kratos's `continue_with`).
public enum FlowContinuation: Hashable, Sendable {
    /// A code was sent to an address of the account; it is entered in this verification flow.
    case verification(flow: String, address: String)
    /// The user can change the settings in this flow, for instance to set a password after a recovery.
    case settings(flow: String)
    /// The recovery starts again in this flow.
    case recovery(flow: String)
}

extension FlowContinuation {
    /// Decodes the steps of a response; steps of an unknown type, and the session token, are skipped.
    static func steps(decoding json: JSONValue?) -> [FlowContinuation] {
        (json?.array ?? []).prefix(Flow.limit).compactMap { step in
            guard let flow = step["flow"]?["id"]?.text, !flow.isEmpty else { return nil }
            return switch step["action"]?.text {
            case "show_verification_ui":
                .verification(flow: flow, address: step["flow"]?["verifiable_address"]?.text ?? "")
            case "show_settings_ui": .settings(flow: flow)
            case "show_recovery_ui": .recovery(flow: flow)
            default: nil
            }
        }
    }
}
