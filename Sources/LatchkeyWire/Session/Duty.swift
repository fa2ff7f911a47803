import LatchkeyModel

/// A step that the user must take after entering their credentials in order to complete the login.
///
/// New kinds may be added in a minor release.
public struct Duty: Hashable, Sendable {
    /// The kind of step that is required.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The name of this kind.
        public let rawValue: String

        /// Creates a kind with the given name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The device must obtain a certificate for its key.
        ///
        /// Clients do this automatically as part of every login.
        public static let certifyDevice = Kind(rawValue: "certify_device")

        /// The user must verify an address of their account with a code.
        public static let verifyAddress = Kind(rawValue: "verify_address")

        /// The user must answer documents, such as new terms of use.
        public static let acceptTerms = Kind(rawValue: "accept_terms")

        /// The user must enter details that the account lost, such as an address that another user has
        /// verified.
        public static let completeProfile = Kind(rawValue: "complete_profile")

        /// The user must authenticate again, because their last login is too old or too weak for an action.
        public static let reauthenticate = Kind(rawValue: "reauthenticate")
    }

    /// The kind of step that is required.
    public var kind: Kind

    /// The phone number or e-mail address to verify.
    ///
    /// The address is `nil` if the duty isn't a verification, or if the server didn't send the address.
    public var address: String?

    private init(_ kind: Kind, address: String? = nil) {
        (self.kind, self.address) = (kind, address)
    }

    /// The device must obtain a certificate for its key.
    public static let certifyDevice = Duty(.certifyDevice)

    /// The user must answer documents, such as new terms of use.
    public static let acceptTerms = Duty(.acceptTerms)

    /// The user must enter details that the account lost.
    public static let completeProfile = Duty(.completeProfile)

    /// The user must authenticate again.
    public static let reauthenticate = Duty(.reauthenticate)

    /// The user must verify an address of their account with a code.
    ///
    /// - Parameter address: The phone number or e-mail address to verify, if it is known.
    /// - Returns: A duty of the kind ``Kind/verifyAddress``.
    public static func verifyAddress(_ address: String?) -> Duty {
        Duty(.verifyAddress, address: address)
    }
}

extension Duty: CustomReflectable {
    /// A mirror for printing, in which the address is masked.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: ["kind": kind, "address": address.map { Masked($0) } as Any],
            displayStyle: .struct
        )
    }
}
