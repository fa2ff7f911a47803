import LatchkeyModel
import LatchkeyWire

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The account of the logged-in user, including its traits, password, addresses and sessions.
///
/// All methods require a session. If the server responds that the session has ended, the session also ends on
/// this device.
///
/// The user must have logged in recently to change the password, addresses or other identifiers. If the last
/// login isn't recent enough, these changes fail with ``LatchkeyError/Code/reauthenticationRequired``. Ask
/// the user to authenticate again, then repeat the call:
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
    /// The result of changing an account's traits.
    public struct Change: Sendable {
        /// The account after the change.
        ///
        /// If the server requires new addresses to be verified first, they only become part of the account
        /// after the verification.
        public let identity: Identity

        /// The new addresses that the server has sent a code to.
        ///
        /// This is empty if the server doesn't send codes after a change.
        ///
        /// You can verify an address at any time with ``AddressVerification/sendCode(to:)``.
        public let verifications: [CodeStep<Void>]
    }

    let engine: FlowEngine

    /// Creates the entry point for managing the account.
    package init(engine: FlowEngine) {
        self.engine = engine
    }

    // MARK: Profile

    /// Fetches the account from the server.
    ///
    /// - Returns: The account with its traits and addresses.
    /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/signedOut`` if no user is logged in.
    @concurrent public func identity() async throws(LatchkeyError) -> Identity {
        try await engine.settled { engine async throws(LatchkeyError) -> Identity in
            try await engine.withSession { held throws(LatchkeyError) in
                let identity = try await engine.api.identity(try held.token)
                await engine.keeper.amend(held) { $0.session.identity = identity }
                return identity
            }
        }
    }

    /// Changes the account's traits.
    ///
    /// - Parameter change: A closure that modifies the current traits. To remove a trait, set it to `nil`.
    ///   Changing the phone number or e-mail address also changes the address of the account.
    /// - Returns: The account after the change, and any new addresses that can be verified.
    /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/invalidInput`` if a value is invalid
    ///   (the error contains messages for the fields), ``LatchkeyError/Code/accountExists`` if an address
    ///   belongs to another account, or ``LatchkeyError/Code/reauthenticationRequired`` if the user must
    ///   authenticate again.
    @discardableResult
    @concurrent public func update(
        _ change: @Sendable (inout Traits) -> Void
    ) async throws(LatchkeyError) -> Change {
        try await engine.settled { engine async throws(LatchkeyError) -> Change in
            let flow = try await engine.begin(.settings)
            guard var traits = flow.identity?.traits else {
                throw LatchkeyError(
                    .invalidResponse,
                    message: "The settings flow does not contain an account."
                )
            }
            change(&traits)
            let answers = FlowSubmission(method: "profile", ["traits": .object(traits.values)])
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

    /// Sets a new password.
    ///
    /// The server may revoke the account's other sessions.
    ///
    /// - Parameter password: The new password.
    /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/invalidInput`` if the server's password
    ///   policy rejects the password, or ``LatchkeyError/Code/reauthenticationRequired`` if the user must
    ///   authenticate again.
    @concurrent public func changePassword(to password: String) async throws(LatchkeyError) {
        try await engine.settled { engine async throws(LatchkeyError) -> Void in
            guard !password.isEmpty else {
                throw .invalid("password", message: "The password must not be empty.")
            }
            let flow = try await engine.begin(.settings)
            try flow.require(method: "password")
            let answers = FlowSubmission(method: "password", ["password": .string(password)])
            _ = try await engine.submit(answers, to: flow).completed()
        }
    }

    // MARK: Re-authentication

    /// Authenticates the user again with the current password and renews the session.
    ///
    /// - Parameters:
    ///   - password: The current password.
    ///   - identifier: The account's identifier. If this is `nil`, we use the identifier shown in the
    ///     server's form, or the session's phone number or e-mail address.
    /// - Returns: The session with the new authentication time.
    /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/invalidCredentials`` if the password is
    ///   incorrect, or ``LatchkeyError/Code/identityMismatch`` if the credentials belong to another account.
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
            let answers = FlowSubmission(
                method: "password",
                ["identifier": .string(identifier), "password": .string(password)]
            )
            return try await engine.submit(answers, to: flow, attempt: attempt).session()
        }
    }

    /// Sends a code that the user can enter to authenticate again.
    ///
    /// - Parameter address: One of the account's addresses. If this is `nil`, we use the session's phone
    ///   number or e-mail address.
    /// - Returns: The next step, in which the user enters the code and the session is renewed.
    /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/tooManyRequests`` if too many codes were
    ///   requested.
    @concurrent public func sendReauthenticationCode(
        to address: String? = nil
    ) async throws(LatchkeyError) -> CodeStep<UserSession> {
        try await engine.settled { engine async throws(LatchkeyError) -> CodeStep<UserSession> in
            let flow = try await engine.begin(.login, reauthenticating: true)
            let address = try ContactAddress(input: engine.identifier(address, in: flow))
            let sent = try await engine.sendLoginCode(to: address, in: flow)
            return CodeFlow(sent, engine: engine, address: address).sessionStep()
        }
    }

    // MARK: Sessions

    /// Returns the account's sessions on other devices.
    ///
    /// - Returns: Up to 1,000 active sessions, in the order sent by the server.
    /// - Throws: ``LatchkeyError`` if the request fails.
    @concurrent public func otherSessions() async throws(LatchkeyError) -> [DeviceSession] {
        try await engine.settled { engine async throws(LatchkeyError) -> [DeviceSession] in
            try await engine.withSession { held throws(LatchkeyError) in
                try await engine.api.otherSessions(try held.token)
            }
        }
    }

    /// Revokes one of the account's other sessions.
    ///
    /// - Parameter id: The session's id. Revoking a session that was already revoked succeeds.
    /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/invalidInput`` if this is the id of the
    ///   current session. Use `signOut()` to end the current session.
    @concurrent public func revokeSession(_ id: DeviceSession.ID) async throws(LatchkeyError) {
        try await engine.settled { engine async throws(LatchkeyError) -> Void in
            try await engine.withSession { held throws(LatchkeyError) in
                guard !id.isEmpty, id != held.stored.session.id else {
                    throw .invalid("id", message: "To end the current session, sign out.")
                }
                try await engine.api.revokeSession(id, token: try held.token)
            }
        }
    }

    /// Revokes all other sessions of the account.
    ///
    /// - Returns: The number of sessions that were revoked, as reported by the server.
    /// - Throws: ``LatchkeyError`` if the request fails.
    @discardableResult
    @concurrent public func revokeOtherSessions() async throws(LatchkeyError) -> Int {
        try await engine.settled { engine async throws(LatchkeyError) -> Int in
            try await engine.withSession { held throws(LatchkeyError) in
                try await engine.api.revokeOtherSessions(try held.token)
            }
        }
    }

    /// Revokes all of the account's sessions on the server and then signs out on this device.
    ///
    /// Unlike `signOut()`, this method requires a connection to the server. If an error is thrown, the user
    /// is still logged in on this device, and you can call the method again.
    ///
    /// - Throws: ``LatchkeyError`` if one of the requests fails.
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

    /// Returns everything that the server stores about the account, except for secrets.
    ///
    /// The user must have logged in recently.
    ///
    /// - Returns: A JSON document of up to 64 MiB.
    /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/reauthenticationRequired`` if the user
    ///   must authenticate again.
    @concurrent public func export() async throws(LatchkeyError) -> Data {
        try await engine.settled { engine async throws(LatchkeyError) -> Data in
            try await engine.withSession { held throws(LatchkeyError) in
                Data(try await engine.api.exportAccount(try held.token))
            }
        }
    }

    /// Deletes the account and signs out on this device.
    ///
    /// The server immediately disables the account, which ends all of its sessions, and erases it later. If
    /// the user logs in before then, the deletion is cancelled. The user must have logged in recently. If the
    /// account has more than one credential or verified address, the server may first require the user to log
    /// in with a different credential or address.
    ///
    /// If the response is lost, repeating the call fails because the session has already ended.
    ///
    /// - Returns: The earliest time at which the server erases the account.
    /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/reauthenticationRequired`` if the user
    ///   must authenticate again.
    @discardableResult
    @concurrent public func delete() async throws(LatchkeyError) -> Date {
        try await engine.settled { engine async throws(LatchkeyError) -> Date in
            let (end, held) = try await engine.withSession { held throws(LatchkeyError) in
                (try await engine.api.deleteAccount(try held.token), held)
            }
            await engine.keeper.end(held, because: "The user deleted the account.")
            return end.date
        }
    }
}

extension Account.Change {
    /// Creates the result of a change from the settings flow.
    fileprivate init(
        _ flow: Flow,
        next: [FlowContinuation],
        engine: FlowEngine
    ) throws(LatchkeyError) {
        guard let identity = flow.identity else {
            throw LatchkeyError(.invalidResponse, message: "The settings flow does not contain an account.")
        }
        self.init(identity: identity, verifications: engine.verifications(in: next))
    }
}

extension FlowEngine {
    /// Returns the identifier to use when the user authenticates again.
    ///
    /// If no identifier is given, it is taken from the form or from the session.
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
