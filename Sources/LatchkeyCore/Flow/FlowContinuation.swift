import LatchkeyModel
import LatchkeyWire

/// A next step that the server suggests after a submission (`continue_with` in Kratos).
public enum FlowContinuation: Hashable, Sendable {
    /// The user has to enter the code that was sent to an address of the account in this verification flow.
    case verification(flow: String, address: String)
    /// The user can change their settings in this flow, for example to set a password after a recovery.
    case settings(flow: String)
    /// The user has to start the recovery again in this flow.
    case recovery(flow: String)
}

extension FlowContinuation {
    /// Decodes the next steps in a response.
    ///
    /// Unknown steps and the session token are skipped.
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

extension FlowContinuation: CustomReflectable {
    /// A mirror for printing, in which the address is masked.
    public var customMirror: Mirror {
        let value: Any =
            switch self {
            case .verification(let flow, let address): (flow: flow, address: Masked(address))
            case .settings(let flow), .recovery(let flow): flow
            }
        return Mirror(self, children: ["flow": value], displayStyle: .enum)
    }
}
