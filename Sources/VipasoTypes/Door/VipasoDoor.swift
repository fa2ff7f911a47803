import Latchkey

/// What both front doors do: translate names, errors and callbacks; everything else is the engine's work.
package final class VipasoDoor<Delegate>: Sendable {
    package let relay: DelegateRelay<Delegate>
    private let client: LatchkeyClient
    private let queue: MainActorQueue

    /// Opens a door, and checks the session that may be on disk.
    ///
    /// - Parameters:
    ///   - configuration: Where the server is, and what to work with.
    ///   - part: The part of the app that the login belongs to, for a door whose login is separate; `nil` for the app
    ///     itself.
    /// - Throws: ``VipasoError`` when the configuration cannot be right.
    package init(configuration: VipasoConfiguration, part: String? = nil) throws(VipasoError) {
        do throws(LatchkeyError) {
            var store = configuration.store
            if let part, store == nil {
                store = try LatchkeyClient.store(
                    ofPart: part,
                    app: configuration.app,
                    server: configuration.server
                )
            }
            client = try LatchkeyClient(
                server: configuration.server,
                app: configuration.app,
                store: store,
                deviceKeys: configuration.deviceKeys,
                transport: configuration.transport,
                languages: configuration.languages,
                time: configuration.time,
                exchanges: configuration.exchanges
            )
        } catch {
            throw VipasoError(error, in: .setup)
        }
        let queue = MainActorQueue()
        let relay = DelegateRelay<Delegate>(queue: queue)
        self.queue = queue
        self.relay = relay
        client.engine.keeper.observe { relay.note($0) }
        checkSession()
    }

    /// Whether a user is known to be logged in.
    package var isAuthenticated: Bool {
        client.sessionState.session != nil
    }

    /// Whether a user is logged in, or whether that is unknown.
    ///
    /// If the state is unknown, the delegate is told once it is known.
    package var authenticationState: VipasoAuthenticationState {
        let state = VipasoAuthenticationState(client.sessionState)
        guard state == .unknown else { return state }
        relay.awaitAnswer()
        // Once more: if it became known before the relay waited for it, nothing is told.
        return VipasoAuthenticationState(client.sessionState)
    }

    /// Asks the server whether the session is still good; the delegate hears of it when it is not.
    package func checkSession() {
        // Nobody waits for the answer: what it changes is published, and trouble of the network changes nothing.
        Task { [client] in _ = try? await client.checkSession() }
    }

    /// Logs whoever is logged in out.
    package func logout() {
        client.signOut()
    }

    package func login(
        _ request: LoginRequest,
        as kind: UserKind?,
        completion: @escaping @MainActor (Result<LoginResponse, VipasoError>) -> Void
    ) {
        // Before the call returns: a logout right after it must prevent the login.
        let attempt = client.engine.keeper.beginAttempt()
        answer(completion, .login) { client async throws(LatchkeyError) in
            let outcome = try await client.signIn(
                identifier: request.normalizedIdentifier,
                password: request.password,
                onlyAs: kind?.rawValue,
                attempt: attempt
            )
            return LoginResponse(flowID: outcome.flow)
        }
    }

    package func startSignup(
        _ request: StartSignupRequest,
        completion: @escaping @MainActor (Result<StartSignupResponse, VipasoError>) -> Void
    ) {
        answer(completion, .startSignup) { client async throws(LatchkeyError) in
            StartSignupResponse(flowID: try await client.signUp.begin(phone: request.phoneNumber).flow)
        }
    }

    package func verifyPhoneNumber(
        _ request: VerifyPhoneNumberRequest,
        completion: @escaping @MainActor (Result<VerifyPhoneNumberResponse, VipasoError>) -> Void
    ) {
        answer(completion, .verifyPhoneNumber) { client async throws(LatchkeyError) in
            let sent = client.signUp.codeSent(flow: request.flowID)
            return VerifyPhoneNumberResponse(flowID: try await sent.verify(request.otp).flow)
        }
    }

    package func finishSignup(
        _ request: FinishSignupRequest,
        as kind: UserKind?,
        completion: @escaping @MainActor (Result<FinishSignupResponse, VipasoError>) -> Void
    ) {
        let attempt = client.engine.keeper.beginAttempt()
        answer(completion, .finishSignup) { client async throws(LatchkeyError) in
            let verified = client.signUp(onlyAs: kind?.rawValue).phoneVerified(flow: request.flowID)
            _ = try await verified.finish(
                password: request.password,
                name: PersonName(first: request.firstName, last: request.lastName),
                // An app passes the text of its field as it is.
                email: request.email.flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 },
                phone: request.phoneNumber,
                attempt: attempt
            )
            return FinishSignupResponse(flowID: request.flowID)
        }
    }

    /// Does something and answers it once, on the main actor, after the delegate has heard of what it changed.
    private func answer<Response: Sendable>(
        _ completion: @escaping @MainActor (Result<Response, VipasoError>) -> Void,
        _ step: VipasoError.Step,
        _ work: @escaping @Sendable (LatchkeyClient) async throws(LatchkeyError) -> Response
    ) {
        Task { [client, queue] in
            let outcome: Result<Response, VipasoError>
            do throws(LatchkeyError) {
                outcome = .success(try await work(client))
            } catch {
                outcome = .failure(VipasoError(error, in: step))
            }
            queue.add { completion(outcome) }
        }
    }
}

extension LoginRequest {
    /// The identifier as the server knows it: a phone number in E.164, an e-mail address without surrounding spaces.
    fileprivate var normalizedIdentifier: String {
        PhoneNumber(identifier)?.e164 ?? EmailAddress(identifier)?.address ?? identifier
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

/// A kind of user, by the name of its schema on the server.
package enum UserKind: String, Sendable {
    case customer, business
}
