/// A step that a user must take after a login before the login is finished.
///
/// New kinds of duties may be added in a minor release.
public struct Duty: Hashable, Sendable {
    /// A kind of duty.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The name of the kind.
        public let rawValue: String

        /// Creates a kind with a name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The device's key must be certified.
        ///
        /// A client fulfills this duty by itself, as a part of every login.
        public static let certifyDevice = Kind(rawValue: "certify_device")

        /// An address of the account must be verified with a code.
        public static let verifyAddress = Kind(rawValue: "verify_address")
    }

    /// The kind of the duty.
    public var kind: Kind

    /// The phone number or e-mail address to verify; `nil` for other kinds, or if the server did not send it.
    public var address: String?

    private init(_ kind: Kind, address: String? = nil) {
        (self.kind, self.address) = (kind, address)
    }

    /// The device's key must be certified.
    public static let certifyDevice = Duty(.certifyDevice)

    /// An address of the account must be verified with a code.
    ///
    /// - Parameter address: The phone number or e-mail address, if it is known.
    /// - Returns: The duty.
    public static func verifyAddress(_ address: String?) -> Duty {
        Duty(.verifyAddress, address: address)
    }
}
