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
    ///   - suffix: What the app's id ends with, for a door whose login is a matter of its own.
    /// - Throws: ``VipasoError`` when the configuration cannot be right.
    package init(configuration: VipasoConfiguration, suffix: String = "") throws(VipasoError) {
        do throws(LatchkeyError) {
            client = try LatchkeyClient(
                server: configuration.server,
                app: configuration.app.isEmpty ? "" : configuration.app + suffix,
                store: configuration.store,
                deviceKeys: configuration.deviceKeys,
                transport: configuration.transport,
                time: configuration.time,
                exchanges: configuration.exchanges
            )
        } catch  where error.code == .invalidInput {
            throw .configuration(error.message)
        } catch {
            throw VipasoError(error, from: .login)
        }
        let queue = MainActorQueue()
        let relay = DelegateRelay<Delegate>(queue: queue)
        self.queue = queue
        self.relay = relay
        client.engine.keeper.observe { relay.note($0) }
        checkSession()
    }

    /// Whether somebody is logged in, as far as it is known now.
    package var isAuthenticated: Bool {
        client.sessionState.session != nil
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
                identifier: PhoneNumber(request.identifier)?.e164 ?? request.identifier,
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
        answer(completion, .signup) { client async throws(LatchkeyError) in
            StartSignupResponse(flowID: try await client.signUp.begin(phone: request.phoneNumber).flow)
        }
    }

    package func verifyPhoneNumber(
        _ request: VerifyPhoneNumberRequest,
        completion: @escaping @MainActor (Result<VerifyPhoneNumberResponse, VipasoError>) -> Void
    ) {
        answer(completion, .signup) { client async throws(LatchkeyError) in
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
        answer(completion, .signup) { client async throws(LatchkeyError) in
            let verified = client.signUp(onlyAs: kind?.rawValue).phoneVerified(flow: request.flowID)
            _ = try await verified.finish(
                password: request.password,
                name: PersonName(first: request.firstName, last: request.lastName),
                // An app hands over its text field as it is.
                email: request.email?.isEmpty == true ? nil : request.email,
                phone: request.phoneNumber,
                attempt: attempt
            )
            return FinishSignupResponse(flowID: request.flowID)
        }
    }

    /// Does something and answers it once, on the main actor, after the delegate has heard of what it changed.
    private func answer<Response: Sendable>(
        _ completion: @escaping @MainActor (Result<Response, VipasoError>) -> Void,
        _ call: VipasoError.Call,
        _ work: @escaping @Sendable (LatchkeyClient) async throws(LatchkeyError) -> Response
    ) {
        Task { [client, queue] in
            let outcome: Result<Response, VipasoError>
            do throws(LatchkeyError) {
                outcome = .success(try await work(client))
            } catch {
                outcome = .failure(VipasoError(error, from: call))
            }
            queue.add { completion(outcome) }
        }
    }
}

/// A kind of user, by the name of its schema on the server.
package enum UserKind: String, Sendable {
    case customer, business
}
