/// The rule for a login by a user who has no verified address.
public enum VerifiedAddressRule: String, Sendable, CaseIterable {
    /// The login is allowed.
    case optional

    /// The login is rejected with 403; verification codes are sent, and the client continues with the
    /// verifications.
    case required

    /// The login is rejected with 400 and a message in the form, as in older versions of Kratos.
    case requiredInForm = "required_in_form"
}
