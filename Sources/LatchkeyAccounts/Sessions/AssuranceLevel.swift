/// An authenticator assurance level (AAL).
///
/// The raw values are the names that Kratos uses.
package enum AssuranceLevel: String, Sendable, CaseIterable {
    /// The user authenticated with one factor, which is either a password or a code.
    case aal1
    /// The user authenticated with two factors.
    ///
    /// Flows can request this level, but no method provides it yet.
    case aal2
}
