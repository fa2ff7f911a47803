import Latchkey
package import LatchkeyCompat

/// The adapter that both compatibility modules share.
///
/// The adapter translates the names, errors and callbacks in Vipaso's documentation to and from
/// ``LatchkeyClient``, which does the actual work. Every completion handler is called once, on the main
/// actor, after the delegate has been notified of the changes that the call made.
package final class VipasoAdapter<Delegate>: Sendable {
    /// Notifies the app's delegate of session changes.
    package let relay: DelegateRelay<Delegate>
    let client: LatchkeyClient
    private let completions: CompletionQueue
    private let observer: ObserverToken

    /// Creates the adapter and validates a stored session with the server in the background.
    ///
    /// - Parameters:
    ///   - configuration: The server, the app's id, and replacements for platform components such as the
    ///     session store.
    ///   - part: The name of a part of the app that has its own login and therefore its own record in the
    ///     platform's store, or `nil` for the app itself. The name is ignored if the configuration contains a
    ///     store.
    /// - Throws: ``VipasoError/configuration(_:)`` if the server URL, app id or language is invalid. Other
    ///   errors are thrown if a platform component cannot be created.
    package init(configuration: VipasoConfiguration, part: String? = nil) throws(VipasoError) {
        do throws(LatchkeyError) {
            var configuration = configuration
            if let part, configuration.store == nil {
                configuration.store = try LatchkeyClient.store(
                    ofPart: part,
                    app: configuration.app,
                    server: configuration.server
                )
            }
            // In Vipaso's SDK, logging out does not contact the server.
            configuration.revokesSessions = false
            client = try LatchkeyClient(configuration)
        } catch {
            throw VipasoError(error, in: .setup)
        }
        let queue = MainActorQueue()
        let relay = DelegateRelay<Delegate>(queue: queue)
        self.relay = relay
        completions = CompletionQueue(client: client, queue: queue)
        observer = client.onChange { relay.enqueue($0) }
        checkSession()
    }

    /// Whether a user is known to be logged in.
    package var isAuthenticated: Bool {
        client.sessionState.session != nil
    }

    /// The current state, which is logged in, logged out, or unknown.
    ///
    /// If the state is unknown, the delegate is notified as soon as it is known.
    package var authenticationState: VipasoAuthenticationState {
        let state = VipasoAuthenticationState(client.sessionState)
        guard state == .unknown else { return state }
        relay.notifyWhenKnown()
        // We read the state again because the delegate is not notified if the state became known before the
        // relay started waiting.
        return VipasoAuthenticationState(client.sessionState)
    }

    /// Validates the session with the server in the background.
    ///
    /// If the server has ended the session, the delegate is notified.
    package func checkSession() {
        // We can ignore the result because the delegate is notified of changes and network errors do not
        // change the state.
        Task { [client] in _ = try? await client.checkSession() }
    }

    /// Logs out the current user and cancels any login in progress.
    ///
    /// The method is synchronous and sends no request to the server.
    package func logout() {
        client.signOut()
    }

    /// Logs in with an identifier and a password.
    ///
    /// - Parameters:
    ///   - request: The identifier and the password.
    ///   - kind: The kind of account that is required, or `nil` to accept any kind.
    ///   - completion: Called once, on the main actor. Logging out after this call cancels the login.
    package func login(
        _ request: LoginRequest,
        as kind: UserKind?,
        completion: @escaping @MainActor (Result<LoginResponse, VipasoError>) -> Void
    ) {
        // The attempt must start before this function returns, so that logging out right afterwards cancels
        // the login.
        let attempt = client.beginAttempt()
        run(.login, completion: completion) { client async throws(LatchkeyError) in
            let outcome = try await client.signIn(
                identifier: try request.normalizedIdentifier(),
                password: request.password,
                onlyAs: kind?.rawValue,
                attempt: attempt
            )
            return LoginResponse(flowID: outcome.flow)
        }
    }

    /// Starts a sign-up and sends a verification code to the phone number.
    package func startSignup(
        _ request: StartSignupRequest,
        completion: @escaping @MainActor (Result<StartSignupResponse, VipasoError>) -> Void
    ) {
        run(.startSignup, completion: completion) { client async throws(LatchkeyError) in
            StartSignupResponse(flowID: try await client.signUp.begin(phone: request.phoneNumber).token.flow)
        }
    }

    /// Verifies the phone number of a sign-up with the code that the user entered.
    package func verifyPhoneNumber(
        _ request: VerifyPhoneNumberRequest,
        completion: @escaping @MainActor (Result<VerifyPhoneNumberResponse, VipasoError>) -> Void
    ) {
        run(.verifyPhoneNumber, completion: completion) { client async throws(LatchkeyError) in
            let sent = client.signUp.resume(StepToken(flow: request.flowID, kind: .registration))
            return VerifyPhoneNumberResponse(flowID: try await sent.verify(request.otp).token.flow)
        }
    }

    /// Creates the account and logs the user in.
    ///
    /// - Parameters:
    ///   - request: The id of the sign-up, the verified phone number, the password and the profile.
    ///   - kind: The kind of account that is required, or `nil` to accept any kind.
    ///   - completion: Called once, on the main actor. Logging out after this call cancels the login.
    package func finishSignup(
        _ request: FinishSignupRequest,
        as kind: UserKind?,
        completion: @escaping @MainActor (Result<FinishSignupResponse, VipasoError>) -> Void
    ) {
        let attempt = client.beginAttempt()
        run(.finishSignup, completion: completion) { client async throws(LatchkeyError) in
            let verified = client.signUp(onlyAs: kind?.rawValue).resumeVerified(
                StepToken(flow: request.flowID, kind: .registration)
            )
            _ = try await verified.finish(
                password: request.password,
                name: PersonName(first: request.firstName, last: request.lastName),
                // Apps pass the content of their text field unchanged, so we treat a blank field as no
                // address.
                email: request.email.flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 },
                phone: request.phoneNumber,
                attempt: attempt
            )
            return FinishSignupResponse(flowID: request.flowID)
        }
    }

    /// Runs a step and then calls the completion handler once with its result, on the main actor.
    private func run<Response: Sendable>(
        _ step: VipasoError.Step,
        completion: @escaping @MainActor (Result<Response, VipasoError>) -> Void,
        calls work: @escaping @Sendable (LatchkeyClient) async throws(LatchkeyError) -> Response
    ) {
        completions.run(
            work,
            translatingErrorsWith: { VipasoError($0, in: step) },
            completion: completion
        )
    }
}

extension LoginRequest {
    /// The identifier in the format that the server expects: a phone number in E.164 format, or an e-mail
    /// address without surrounding spaces.
    ///
    /// Text in any other format is returned unchanged.
    ///
    /// - Throws: ``LatchkeyError`` with the code `invalidInput` if the text is a malformed phone number. The
    ///   server isn't asked, so no attempt is counted.
    fileprivate func normalizedIdentifier() throws(LatchkeyError) -> String {
        if let known = PhoneNumber(identifier)?.e164 ?? EmailAddress(identifier)?.address { return known }
        guard !PhoneNumber.resembles(identifier) else {
            throw .invalid("identifier", message: PhoneNumber.requirement)
        }
        return identifier
    }
}

extension VipasoAuthenticationState {
    fileprivate init(_ state: SessionState) {
        switch state {
        case .signedIn: self = .authenticated
        case .signedOut: self = .loggedOut
        case .unavailable: self = .unknown
        }
    }
}

/// A kind of user.
///
/// The raw value is the id of the corresponding identity schema on the server.
package enum UserKind: String, Sendable {
    case customer, business
}
