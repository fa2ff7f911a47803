/// The rules for who owns an address: what happens to an account when one of its addresses is proven.
///
/// An address is *claimed* when a user typed it, and *proven* when a code that was sent to it came back or the operator
/// vouched for it. An account is *confirmed* when one of its addresses was proven from inside: by the sign-up that
/// created it, with one of its sessions, or in a flow that its own registration or settings started. Verifying an
/// address never takes anything away; entering an account with it may.
package enum AddressOwnership {
    /// Where the code for an address was entered.
    package enum Proof: String, Sendable, CaseIterable {
        /// With a session of the account, or in a flow that is bound to the account.
        case inside
        /// In a verification flow that anyone may have started, on a network from which the owner has logged in.
        case nearby
        /// In a verification flow that anyone may have started.
        case outside
        /// In a login or a recovery.
        case entry
    }

    /// What is known about the address and the account that has it, before the code was entered.
    package struct Standing: Hashable, Sendable {
        package var isConfirmed: Bool
        package var isProven: Bool
        package var hasOtherProven: Bool

        package init(isConfirmed: Bool, isProven: Bool, hasOtherProven: Bool) {
            self.isConfirmed = isConfirmed
            self.isProven = isProven
            self.hasOtherProven = hasOtherProven
        }
    }

    /// What happens to the account, and what the caller gets.
    package enum Outcome: String, Sendable {
        /// The address becomes proven and the account confirmed; the caller continues.
        case confirm
        /// The address becomes proven; the caller gets no session.
        case verify
        /// The address is shown as verified, but opens the account no more than before; the caller gets no session.
        case show
        /// The caller gets a session; nothing else changes.
        case enter
        /// The account goes over to the caller, without anything that its creator could come back with.
        case reclaim
        /// The caller is refused: the account belongs to someone who has proven another address or the account itself.
        case refuse
    }

    /// Decides what a right code for an address leads to.
    package static func outcome(of proof: Proof, _ standing: Standing) -> Outcome {
        switch proof {
        case .inside: .confirm
        case .nearby: .verify
        // Otherwise, a login that is refused would succeed after a verification by the same caller.
        case .outside: standing.isConfirmed || standing.hasOtherProven ? .show : .verify
        case .entry where standing.isConfirmed: standing.isProven ? .enter : .refuse
        // Neither of two addresses of an unconfirmed account shows who created it: the first to enter owns it.
        case .entry: !standing.isProven && standing.hasOtherProven ? .refuse : .reclaim
        }
    }
}

extension Identity {
    /// What is known about one of the addresses.
    func standing(of address: Traits.Address) -> AddressOwnership.Standing {
        AddressOwnership.Standing(
            isConfirmed: confirmedAt != nil,
            isProven: isProven(address),
            hasOtherProven: provenAddresses.contains { $0 != address }
        )
    }
}
