import LatchkeyWire

/// A duty of the current login that is not fulfilled, and the flow in which the user fulfills it.
struct OpenDuty: Hashable, Sendable {
    /// The duty.
    let duty: Duty
    /// The id of its verification flow; `nil` begins a new one.
    let flow: String?

    /// Returns the duties among the steps that the server suggests after a login.
    static func duties(in steps: [FlowContinuation]) -> [OpenDuty] {
        steps.compactMap { step in
            guard case .verification(let flow, let address) = step else { return nil }
            return OpenDuty(duty: .verifyAddress(address.isEmpty ? nil : address), flow: flow)
        }
    }
}
