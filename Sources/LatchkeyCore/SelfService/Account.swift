public import LatchkeyModel
import LatchkeyWire

/// The account of the user who is logged in: its profile, password, addresses and sessions.
///
/// All methods require a session. The session ends if the server responds that it has ended.
///
/// Changes of the password, of addresses and of other identifiers require that the user has logged in recently.
/// They fail with ``LatchkeyError/Code/reauthenticationRequired`` otherwise; re-authenticate, then repeat the
/// call:
///
/// ```swift
/// do {
///     try await latchkey.account.changePassword(to: newPassword)
/// } catch {
///     guard error.code == .reauthenticationRequired else { throw error }
///     try await latchkey.account.reauthenticate(password: currentPassword)
///     try await latchkey.account.changePassword(to: newPassword)
/// }
/// ```
public struct Account: Sendable {
    /// The result of a change of the account's traits.
    public struct Change: Sendable {
        /// The account after the change.
        ///
        /// If the server first verifies new addresses, it is unchanged until the verification is completed.
        public let profile: AccountProfile

        /// The new addresses to which the server has sent a code; empty if it sends none after a change.
        ///
        /// ``AddressVerification/sendCode(to:)`` verifies an address at any time.
        public let verifications: [AddressVerification.CodeSent]
    }

    let engine: FlowEngine

    /// Creates the account of an engine's session.
    package init(engine: FlowEngine) {
        self.engine = engine
    }

    // MARK: Profile

    /// Returns the account from the server.
    ///
    /// - Returns: The account, with its traits and addresses.
    /// - Throws: ``LatchkeyError``, such as ``LatchkeyError/Code/signedOut`` if no user is logged in.
    @concurrent public func profile() async throws(LatchkeyError) -> AccountProfile {
        try await engine.settled { engine async throws(LatchkeyError) -> AccountProfile in
            try await engine.withSession { held throws(LatchkeyError) in
                let profile = try await engine.api.profile(try held.token)
                await engine.keeper.amend(held) { $0.session.identity = Identity(profile) }
                return profile
            }
        }
    }

    /// Changes traits of the account.
    ///
    /// - Parameter change: Modifies the current traits; remove a trait by setting it to `nil`. A change of the
    ///   phone number or e-mail address changes the address of the account.
    /// - Returns: The account after the change, and the new addresses that can be verified.
    /// - Throws: ``LatchkeyError``, such as ``LatchkeyError/Code/invalidInput`` with the messages for the fields,
    ///   ``LatchkeyError/Code/accountExists`` for an address of another account, or
    ///   ``LatchkeyError/Code/reauthenticationRequired``.
    @discardableResult
    @concurrent public func update(
        _ change: @Sendable (inout Traits) -> Void
    ) async throws(LatchkeyError) -> Change {
        try await engine.settled { engine async throws(LatchkeyError) -> Change in
            let flow = try await engine.begin(.settings)
            guard var traits = flow.profile?.traits else {
                throw LatchkeyError(.invalidAnswer, message: "The settings contain no account.")
            }
            change(&traits)
            let answers = FlowAnswers(method: "profile", ["traits": .object(traits.values)])
            let outcome = try await engine.submit(answers, to: flow)
            switch outcome {
            case .completed(let saved, let next):
                return try Change(saved, next: next, engine: engine)
            case .continues(let waiting, let next) where !waiting.hasErrors && !next.isEmpty:
                return try Change(waiting, next: next, engine: engine)
            default: throw outcome.error()
            }
        }
    }

    /// Sets a new password; the account's other sessions may end.
    ///
    /// - Parameter password: The new password.
    /// - Throws: ``LatchkeyError``, such as ``LatchkeyError/Code/invalidInput`` for a password that the server's
    ///   policy does not allow, or ``LatchkeyError/Code/reauthenticationRequired``.
    @concurrent public func changePassword(to password: String) async throws(LatchkeyError) {
        try await engine.settled { engine async throws(LatchkeyError) -> Void in
            guard !password.isEmpty else {
                throw .invalid("password", message: "The password must not be empty.")
            }
            let flow = try await engine.begin(.settings)
            try flow.require(method: "password")
            let answers = FlowAnswers(method: "password", ["password": .string(password)])
            _ = try await engine.submit(answers, to: flow).completed()
        }
    }

    // MARK: Re-authentication

    /// Re-authenticates the user with the current password, and renews the session.
    ///
    /// - Parameters:
    ///   - password: The current password.
    ///   - identifier: The identifier of the account; `nil` uses the one that the server's form shows, or the
    ///     phone number or e-mail address of the session.
    /// - Returns: The session, with the time of the authentication.
    /// - Throws: ``LatchkeyError``, such as ``LatchkeyError/Code/invalidCredentials``, or
    ///   ``LatchkeyError/Code/identityMismatch`` if the credentials belong to another account.
    @discardableResult
    @concurrent public func reauthenticate(
        password: String,
        identifier: String? = nil
    ) async throws(LatchkeyError) -> UserSession {
        try await engine.settled { engine async throws(LatchkeyError) -> UserSession in
            let attempt = engine.keeper.beginAttempt()
            let flow = try await engine.begin(.login, reauthenticating: true)
            try flow.require(method: "password")
            let identifier = try engine.identifier(identifier, in: flow)
            let answers = FlowAnswers(
                method: "password",
                ["identifier": .string(identifier), "password": .string(password)]
            )
            return try await engine.submit(answers, to: flow, attempt: attempt).session()
        }
    }

    /// Sends a code with which the user re-authenticates.
    ///
    /// - Parameter address: An address of the account; `nil` uses the phone number or e-mail address of the
    ///   session.
    /// - Returns: The step that accepts the code, and renews the session.
    /// - Throws: ``LatchkeyError``, such as ``LatchkeyError/Code/tooManyRequests``.
    @concurrent public func sendReauthenticationCode(
        to address: String? = nil
    ) async throws(LatchkeyError) -> CodeChallenge {
        try await engine.settled { engine async throws(LatchkeyError) -> CodeChallenge in
            let flow = try await engine.begin(.login, reauthenticating: true)
            let address = try ContactAddress(input: engine.identifier(address, in: flow))
            let sent = try await engine.sendLoginCode(to: address, in: flow)
            return CodeChallenge(CodeStep(sent, engine: engine), address: address)
        }
    }

    // MARK: Sessions

    /// Returns the account's other sessions.
    ///
    /// - Returns: The active sessions on other devices, at most 1,000, in the server's order.
    /// - Throws: ``LatchkeyError``.
    @concurrent public func otherSessions() async throws(LatchkeyError) -> [DeviceSession] {
        try await engine.settled { engine async throws(LatchkeyError) -> [DeviceSession] in
            try await engine.withSession { held throws(LatchkeyError) in
                try await engine.api.otherSessions(try held.token)
            }
        }
    }

    /// Revokes one of the account's other sessions.
    ///
    /// - Parameter id: The id of the session; revoking a session again succeeds.
    /// - Throws: ``LatchkeyError``, such as ``LatchkeyError/Code/invalidInput`` for the id of the current session,
    ///   which ends with `signOut()`.
    @concurrent public func revokeSession(_ id: DeviceSession.ID) async throws(LatchkeyError) {
        try await engine.settled { engine async throws(LatchkeyError) -> Void in
            try await engine.withSession { held throws(LatchkeyError) in
                guard !id.isEmpty, id != held.stored.session.id else {
                    throw .invalid("id", message: "The current session is ended by signing out.")
                }
                try await engine.api.revokeSession(id, token: try held.token)
            }
        }
    }

    /// Revokes all other sessions of the account.
    ///
    /// - Returns: The number of revoked sessions, according to the server.
    /// - Throws: ``LatchkeyError``.
    @discardableResult
    @concurrent public func revokeOtherSessions() async throws(LatchkeyError) -> Int {
        try await engine.settled { engine async throws(LatchkeyError) -> Int in
            try await engine.withSession { held throws(LatchkeyError) in
                try await engine.api.revokeOtherSessions(try held.token)
            }
        }
    }

    /// Revokes all sessions of the account on the server, then signs out on this device.
    ///
    /// In contrast to `signOut()`, it requires the server: after an error, the user is still logged in on this
    /// device, and the call can be repeated.
    ///
    /// - Throws: ``LatchkeyError``.
    @concurrent public func signOutEverywhere() async throws(LatchkeyError) {
        try await engine.settled { engine async throws(LatchkeyError) -> Void in
            try await engine.withSession { held throws(LatchkeyError) in
                _ = try await engine.api.revokeOtherSessions(try held.token)
                try await engine.api.logOut(try held.token)
                guard engine.keeper.held?.handle.login == held.handle.login else { return }
                if let failure = engine.keeper.signOut() { throw LatchkeyError(store: failure) }
            }
        }
    }

    // MARK: Data

    /// Returns the data that the server stores about the account, without secrets.
    ///
    /// Requires a recent login.
    ///
    /// - Returns: A JSON document, at most 64 MiB.
    /// - Throws: ``LatchkeyError``, such as ``LatchkeyError/Code/reauthenticationRequired``.
    @concurrent public func export() async throws(LatchkeyError) -> [UInt8] {
        try await engine.settled { engine async throws(LatchkeyError) -> [UInt8] in
            try await engine.withSession { held throws(LatchkeyError) in
                try await engine.api.exportAccount(try held.token)
            }
        }
    }

    /// Deletes the account, and signs out on this device.
    ///
    /// The server disables the account at once, which ends all of its sessions, and erases it later. Until then, a
    /// login cancels the deletion. Requires a recent login; if the account has more than one credential or verified
    /// address, the server may require a login with another one.
    ///
    /// If the response is lost, the session has ended when the call is repeated.
    ///
    /// - Returns: The time from which the account is erased.
    /// - Throws: ``LatchkeyError``, such as ``LatchkeyError/Code/reauthenticationRequired``.
    @discardableResult
    @concurrent public func delete() async throws(LatchkeyError) -> Timestamp {
        try await engine.settled { engine async throws(LatchkeyError) -> Timestamp in
            let (end, held) = try await engine.withSession { held throws(LatchkeyError) in
                (try await engine.api.deleteAccount(try held.token), held)
            }
            await engine.keeper.end(held, because: "The user deleted the account.")
            return end
        }
    }
}

extension Account.Change {
    /// Creates the result from the flow after a change.
    fileprivate init(
        _ flow: Flow,
        next: [FlowContinuation],
        engine: FlowEngine
    ) throws(LatchkeyError) {
        guard let profile = flow.profile else {
            throw LatchkeyError(.invalidAnswer, message: "The settings contain no account.")
        }
        self.init(profile: profile, verifications: engine.verifications(in: next))
    }
}

extension FlowEngine {
    /// Returns the identifier for a re-authentication: the given one, that of the form, or an address of the
    /// session.
    fileprivate func identifier(_ given: String?, in flow: Flow) throws(LatchkeyError) -> String {
        if let given { return given }
        if let shown = flow.node(named: "identifier")?.input?.value?.text, !shown.isEmpty { return shown }
        let identity = keeper.held?.stored.session.identity
        guard let known = identity?.phone?.e164 ?? identity?.email?.address else {
            throw .invalid("identifier", message: "The identifier of the account is missing.")
        }
        return known
    }
}
