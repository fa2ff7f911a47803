/// The stored state of an identity's address; an address without a stored state is claimed but not proven.
package enum AddressState: String, Sendable, CaseIterable {
    /// A user entered a code that was sent to the address, or the operator vouches for it.
    case proven

    /// The address has lost its roles (login, verification and recovery) and is only data in the traits.
    ///
    /// An address is released when its owner proves it on another account, when the account is taken over, or
    /// by the operator.
    ///
    /// A later change of traits with the same value does not restore the roles.
    case released
}
