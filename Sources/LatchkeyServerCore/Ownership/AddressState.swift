/// What is known about an address that an identity lists; one without a state is only claimed.
package enum AddressState: String, Sendable, CaseIterable {
    /// A code that was sent to it came back, or the operator vouches for it.
    case proven

    /// It has lost its roles to its owner or by the operator, and is plain data in the traits.
    case released
}
