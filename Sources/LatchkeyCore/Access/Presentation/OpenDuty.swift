import LatchkeyWire

/// A step that the user still has to complete for the current login, and the flow for completing it.
struct OpenDuty: Hashable, Sendable {
    /// The step to complete.
    let duty: Duty
    /// The id of an existing verification flow, or `nil` to begin a new one.
    let flow: String?

    /// Returns the required steps among the ones that the server suggests after a login.
    static func duties(in steps: [FlowContinuation]) -> [OpenDuty] {
        steps.compactMap { step in
            guard case .verification(let flow, let address) = step else { return nil }
            return OpenDuty(duty: .verifyAddress(address.isEmpty ? nil : address), flow: flow)
        }
    }
}
