import LatchkeyModel

/// The rules of address ownership, which define how an account changes when one of its addresses is proven.
///
/// A user *claims* an address by entering it. The address is *proven* once a user enters a code that was sent
/// to it, or once the operator vouches for it. An account is *confirmed* once one of its addresses is proven
/// from inside: by the sign-up that created the account, with one of its sessions, or in a flow that its own
/// registration or settings started. Verifying an address never removes anything from an account; logging in
/// or recovering with an address may.
package enum AddressOwnership {
    /// The circumstances in which the code for an address was entered.
    package enum Proof: String, Sendable, CaseIterable {
        /// The code was entered with a session of the account, or in a flow that is bound to the account.
        case inside
        /// The code was entered in a verification flow that anyone may have started, from a network from
        /// which the user of the account has logged in before.
        case nearby
        /// The code was entered in a verification flow that anyone may have started, from any other network.
        case outside
        /// The code was entered in a login or recovery flow.
        case entry
    }

    /// The state of the address and of its account before the code was entered.
    package struct Standing: Hashable, Sendable {
        /// Whether the account is confirmed.
        package var isConfirmed: Bool
        /// Whether the address is proven on the account.
        package var isProven: Bool
        /// Whether another address is proven on the account.
        package var hasOtherProven: Bool

        /// Creates the standing of an address that still belongs to the account.
        package init(isConfirmed: Bool, isProven: Bool, hasOtherProven: Bool) {
            self.isConfirmed = isConfirmed
            self.isProven = isProven
            self.hasOtherProven = hasOtherProven
        }
    }

    /// The effect of a proof on the account, and the result for the caller.
    ///
    /// ``AddressProver`` applies the outcome to the database.
    package enum Outcome: String, Sendable {
        /// The address becomes proven and the account becomes confirmed; the caller is allowed to continue.
        case confirm
        /// The address becomes proven, but the caller receives no session.
        case verify
        /// The address is shown as verified but grants no more access than before, and the caller receives no
        /// session.
        case show
        /// The caller receives a session, and ownership does not change.
        case enter
        /// The account is transferred to the caller, and all credentials with which its creator could log in
        /// again are revoked.
        case reclaim
        /// The caller is rejected, because the account is already confirmed or belongs to the owner of
        /// another address.
        case refuse
    }

    /// Returns the effect of entering the correct code for an address.
    ///
    /// - Parameters:
    ///   - proof: The circumstances in which the code was entered.
    ///   - standing: The state of the address and of its account before the code was entered.
    /// - Returns: The outcome, which ``AddressProver`` applies.
    package static func outcome(of proof: Proof, for standing: Standing) -> Outcome {
        switch proof {
        case .inside: .confirm
        case .nearby: .verify
        // Otherwise, a caller whose login was rejected could verify the address and then log in.
        case .outside: standing.isConfirmed || standing.hasOtherProven ? .show : .verify
        case .entry where standing.isConfirmed: standing.isProven ? .enter : .refuse
        // The addresses of an unconfirmed account do not show who created it. The account therefore belongs
        // to the first user who logs in with one of them.
        case .entry: !standing.isProven && standing.hasOtherProven ? .refuse : .reclaim
        }
    }
}

extension Identity {
    /// Returns the state of one of the identity's addresses.
    func standing(of address: ContactAddress) -> AddressOwnership.Standing {
        AddressOwnership.Standing(
            isConfirmed: confirmedAt != nil,
            isProven: isProven(address),
            hasOtherProven: provenAddresses.contains { $0 != address }
        )
    }
}
