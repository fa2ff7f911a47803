/// Whether people may log in before an address of theirs is verified.
package enum VerifiedAddressRule: String, Sendable, CaseIterable {
    /// They may.
    case optional

    /// They may not: they are sent codes, and go on with their verifications (403).
    case required

    /// They may not, and the form says so (400), as Kratos did before it had the other way.
    case requiredInForm = "required_in_form"
}
