/// The stored state of an address of an identity; an address without one is only claimed.
package enum AddressState: String, Sendable, CaseIterable {
    /// A code that was sent to the address was entered, or the operator vouches for it.
    case proven

    /// The address has lost its roles to its owner or by an operator, and is only data in the traits.
    ///
    /// A later change of traits that repeats the value does not restore the roles.
    case released
}
