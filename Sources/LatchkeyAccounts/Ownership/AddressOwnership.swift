/// The rules of address ownership: the effect on an account when one of its addresses is proven.
///
/// An address is *claimed* when a user enters it, and *proven* when a code that was sent to it is entered or
/// the operator vouches for it. An account is *confirmed* when one of its addresses was proven from inside:
/// by the sign-up that created it, with one of its sessions, or in a flow that its own registration or
/// settings started. Verifying an address never removes anything; logging in or recovering with it may.
package enum AddressOwnership {
    /// The circumstances in which the code for an address was entered.
    package enum Proof: String, Sendable, CaseIterable {
        /// With a session of the account, or in a flow that is bound to the account.
        case inside
        /// In a verification flow that anyone may have started, from a network from which the owner has
        /// logged in before.
        case nearby
        /// In a verification flow that anyone may have started, from any other network.
        case outside
        /// In a login or a recovery flow.
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

        /// Creates the state of an address on an account that still has it.
        package init(isConfirmed: Bool, isProven: Bool, hasOtherProven: Bool) {
            self.isConfirmed = isConfirmed
            self.isProven = isProven
            self.hasOtherProven = hasOtherProven
        }
    }

    /// The effect on the account, and the result for the caller.
    ///
    /// ``AddressProver`` applies it to the database.
    package enum Outcome: String, Sendable {
        /// The address becomes proven and the account confirmed; the caller continues.
        case confirm
        /// The address becomes proven; the caller gets no session.
        case verify
        /// The address is shown as verified but gives no more access than before; the caller gets no session.
        case show
        /// The caller gets a session; the ownership does not change.
        case enter
        /// The account passes to the caller, and everything with which its creator could return is revoked.
        case reclaim
        /// The caller is refused, as the account belongs to the owner of another address or is already
        /// confirmed.
        case refuse
    }

    /// Returns the effect of a correct code for an address.
    ///
    /// - Parameters:
    ///   - proof: The circumstances in which the code was entered.
    ///   - standing: The state of the address and of its account before.
    /// - Returns: The outcome, which ``AddressProver`` applies.
    package static func outcome(of proof: Proof, for standing: Standing) -> Outcome {
        switch proof {
        case .inside: .confirm
        case .nearby: .verify
        // Otherwise a refused login would succeed after a verification by the same caller.
        case .outside: standing.isConfirmed || standing.hasOtherProven ? .show : .verify
        case .entry where standing.isConfirmed: standing.isProven ? .enter : .refuse
        // No address of an unconfirmed account shows who created it, so the first to log in with one owns the
        // account.
        case .entry: !standing.isProven && standing.hasOtherProven ? .refuse : .reclaim
        }
    }
}

extension Identity {
    /// Returns the state of one of the addresses.
    func standing(of address: Traits.Address) -> AddressOwnership.Standing {
        AddressOwnership.Standing(
            isConfirmed: confirmedAt != nil,
            isProven: isProven(address),
            hasOtherProven: provenAddresses.contains { $0 != address }
        )
    }
}
