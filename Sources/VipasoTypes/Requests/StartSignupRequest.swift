import Latchkey

/// The request that starts a sign-up and sends a code.
///
/// The property corresponds to step 1 in Vipaso's documentation of customer and Pay sign-up.
public struct StartSignupRequest: Hashable, Sendable {
    /// The phone number including the country code, such as `+439999999999`.
    public var phoneNumber: String

    /// Creates a request.
    ///
    /// - Parameter phoneNumber: The phone number including the country code. Separators are ignored, and
    ///   the digits can be those of any script.
    public init(phoneNumber: String) {
        self.phoneNumber = phoneNumber
    }
}

extension StartSignupRequest: CustomReflectable {
    /// A mirror for printing, in which the phone number is masked.
    public var customMirror: Mirror {
        Mirror(self, children: ["phoneNumber": Masked(phoneNumber)], displayStyle: .struct)
    }
}
