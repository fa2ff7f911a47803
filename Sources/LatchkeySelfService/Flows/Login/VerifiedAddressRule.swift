/// Whether users need a verified address to log in with a password.
public enum VerifiedAddressRule: String, Sendable, CaseIterable {
    /// Users don't need a verified address.
    case optional

    /// The login is rejected with status 403. Verification codes are sent, and the client continues with the
    /// verifications.
    case required

    /// The login is rejected with status 400 and a message in the form, as in older versions of Kratos.
    case requiredInForm = "required_in_form"
}
