import LatchkeyModel

/// The rules of address ownership.
///
/// The rules determine how an account changes when one of its addresses is proven.
///
/// A user *claims* an address by entering it. The address is *proven* once a user enters a code that was sent
/// to it, or once an operator vouches for it. An account is *confirmed* once one of its addresses is proven
/// from inside the account. An address can be proven from inside the account during sign-up, in one of the
/// account's sessions, or in a flow that was started by a registration, login or settings change of the
/// account.
///
/// Entering a code in a verification flow that anyone could have started never removes anything from an
/// account. Logging in or recovering with an address may remove the account's credentials, sessions and other
/// addresses (``Outcome/reclaim``).
package enum AddressOwnership {
    /// How the code for an address was entered.
    package enum Proof: String, Sendable, CaseIterable {
        /// The code was entered in one of the account's sessions, or in a flow that is bound to the account.
        case inside
        /// The code was entered in a verification flow that anyone could have started.
        ///
        /// The client's network makes no difference: people who share a network are not the same person.
        case outside
        /// The code was entered in a login or recovery flow.
        case entry
    }

    /// The state of an address and its account before the code was entered.
    package struct Standing: Hashable, Sendable {
        /// Whether the account is confirmed.
        package var isConfirmed: Bool
        /// Whether the address is proven on the account.
        package var isProven: Bool
        /// Whether another address is proven on the account.
        package var hasOtherProven: Bool

        /// Creates the state of an address that hasn't been removed from the account.
        package init(isConfirmed: Bool, isProven: Bool, hasOtherProven: Bool) {
            self.isConfirmed = isConfirmed
            self.isProven = isProven
            self.hasOtherProven = hasOtherProven
        }
    }

    /// The effect of a proof on the account, and the response to the caller.
    ///
    /// ``AddressProver`` applies the outcome to the database.
    package enum Outcome: String, Sendable {
        /// The address becomes proven, the account becomes confirmed, and the request proceeds.
        case confirm
        /// The address becomes proven, but the caller doesn't get a session.
        case verify
        /// The API shows the address as verified, but the caller doesn't get a session.
        ///
        /// The address's ownership state doesn't change.
        case show
        /// The caller gets a session, and the ownership of the address doesn't change.
        case enter
        /// The user who entered the code takes over the account.
        ///
        /// All credentials that the account's creator could use to log in again are revoked.
        case reclaim
        /// The caller is rejected because the account is already confirmed or because it belongs to the owner
        /// of another address.
        case refuse
    }

    /// Returns the effect of entering the correct code for an address.
    ///
    /// - Parameters:
    ///   - proof: How the code was entered.
    ///   - standing: The state of the address and its account before the code was entered.
    /// - Returns: The outcome. ``AddressProver`` makes the corresponding changes.
    package static func outcome(of proof: Proof, for standing: Standing) -> Outcome {
        switch proof {
        case .inside: .confirm
        // Without this check, a caller whose login was rejected could verify the address and then log in.
        case .outside: standing.isConfirmed || standing.hasOtherProven ? .show : .verify
        case .entry where standing.isConfirmed: standing.isProven ? .enter : .refuse
        // The addresses of an unconfirmed account don't tell us who created it, so the account goes to the
        // first user who logs in with one of them.
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
