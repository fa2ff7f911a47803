import LatchkeyCore
import LatchkeyWire

extension FlowSubmission {
    /// Returns the values to suggest when the form is shown again.
    ///
    /// Passwords and codes are left out because they must not be visible.
    func visibleValues(in flow: Flow) -> [String: JSONValue] {
        values.filter { name, value in
            guard let input = flow.node(named: name)?.input, value != .null else { return false }
            return input.kind != .password && !input.isButton && input.autocomplete != "one-time-code"
                && name != "code"
        }
    }
}
