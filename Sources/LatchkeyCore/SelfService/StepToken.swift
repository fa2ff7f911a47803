import LatchkeyModel

/// The value from which a step can be restored after a restart of the app.
///
/// A token isn't a secret, because it has no effect without the code, but it may contain an address of the user.
public struct StepToken: Hashable, Sendable, Codable {
    /// The id of the flow on the server.
    public var flow: String

    /// The kind of the flow.
    public var kind: Flow.Kind

    /// The phone number or e-mail address that the code was sent to, or `nil` if it isn't known.
    public var address: String?

    /// Creates a token.
    ///
    /// - Parameters:
    ///   - flow: The id of the flow on the server.
    ///   - kind: The kind of the flow.
    ///   - address: The phone number or e-mail address that the code was sent to, if it is known.
    public init(flow: String, kind: Flow.Kind, address: String? = nil) {
        self.flow = flow
        self.kind = kind
        self.address = address
    }
}

extension StepToken: CustomReflectable {
    /// A mirror for printing, in which the address is masked.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: ["flow": flow, "kind": kind, "address": address.map { Masked($0) } as Any],
            displayStyle: .struct
        )
    }
}
