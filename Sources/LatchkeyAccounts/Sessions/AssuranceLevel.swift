/// An authenticator assurance level (AAL), with Kratos's name as its raw value.
package enum AssuranceLevel: String, Sendable, CaseIterable {
    /// Authentication with one factor: a password or a code.
    case aal1
    /// Authentication with two factors; a flow can request this level, but no method provides it yet.
    case aal2
}
