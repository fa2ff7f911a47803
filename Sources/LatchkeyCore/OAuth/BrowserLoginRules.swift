/// The rules for logins in a browser that no call of this process waits for.
package enum BrowserLoginRules {
    /// The session of this device, compared with that of when the login began.
    package enum Standing: Hashable, Sendable {
        /// The session is the one that the login replaces, or there is none.
        case unchanged
        /// The session is the one that the login has created.
        case own
        /// Another login was completed in the meantime.
        case other
    }

    /// The next step for a login that was interrupted after the provider's answer.
    package enum Resumption: Hashable, Sendable {
        case complete
        /// The login is complete, or is being revoked.
        case forget
        /// The grant and the session that the provider may have created are revoked.
        case abandon
    }

    /// Returns whether the answer to a login completes it.
    ///
    /// A user who has logged in since the login began, or is logging in, doesn't expect to be replaced.
    ///
    /// - Parameters:
    ///   - standing: The session of this device.
    ///   - isAttempting: Whether another login is in progress in this process.
    /// - Returns: `false` if the answer has no effect.
    package static func accepts(_ standing: Standing, isAttempting: Bool) -> Bool {
        standing == .unchanged && !isAttempting
    }

    /// Returns the next step for a login that was interrupted after the provider's answer.
    ///
    /// - Parameters:
    ///   - standing: The session of this device.
    ///   - isGivenUp: Whether the login is stored among the revocations.
    ///   - isAttempting: Whether another login is in progress in this process.
    /// - Returns: The next step.
    package static func continuation(
        _ standing: Standing,
        isGivenUp: Bool,
        isAttempting: Bool
    ) -> Resumption {
        if isGivenUp || standing == .own { return .forget }
        return accepts(standing, isAttempting: isAttempting) ? .complete : .abandon
    }
}
