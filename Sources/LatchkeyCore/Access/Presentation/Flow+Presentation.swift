import LatchkeyModel
import LatchkeyWire

/// The parts of a form that a presented login needs.
extension FlowNode {
    /// Whether the node is the button for requesting a new code.
    fileprivate var isResendButton: Bool {
        guard let input, input.isButton, let label else { return false }
        return label.id == MessageID.resend.rawValue
    }
}

extension Flow {
    /// The flow without inputs for optional traits that are empty.
    var withoutOptionalTraits: Flow {
        var flow = self
        flow.nodes = nodes.filter { node in
            guard let input = node.input, !input.isButton, input.kind != .hidden else { return true }
            return input.isRequired || input.value != nil || !input.name.hasPrefix("traits.")
        }
        return flow
    }

    /// The address entered in the registration form, or `nil` if the form doesn't contain one.
    var addressOfSignUp: ContactAddress? {
        nodes.lazy.compactMap(\.input).filter { $0.name.hasPrefix("traits.") }
            .compactMap { $0.value?.text.flatMap { ContactAddress($0) } }.first
    }

    /// The button for requesting a new code, or `nil` if the form doesn't have one.
    public var resendButton: FlowNode? {
        nodes.first(where: \.isResendButton)
    }

    /// Returns a copy of the flow that only contains the nodes for one method and the nodes shared by all
    /// methods.
    ///
    /// - Parameter method: The name of the method, such as `password`.
    /// - Returns: The limited flow, which has the same id and messages as this one.
    public func limited(to method: String) -> Flow {
        var flow = self
        flow.nodes = nodes.filter { $0.group == .common || $0.group.rawValue == method }
        return flow
    }
}
