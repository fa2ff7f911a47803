/// An authenticator assurance level, with Kratos's name.
package enum AssuranceLevel: String, Sendable, CaseIterable {
    /// One factor: a password or a code.
    case aal1
    /// Two factors, which flows can request and no method provides yet.
    case aal2
}
