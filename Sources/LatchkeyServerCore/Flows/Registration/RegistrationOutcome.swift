import LatchkeyWire

/// What came of a registration.
enum RegistrationOutcome: Sendable {
    case registered(RegistrationCompletion.Registered)

    /// What proves who somebody is was not right, or may not be used; beside a field, or about the whole.
    case refused(UIMessage, field: String? = nil)

    /// Somebody has one of the identifiers or addresses.
    case duplicate

    /// Another request ended the flow, or verified another phone number in it.
    case flowOver

    /// Runs the transaction of a registration, and has sent what it has kept.
    static func of(
        _ completion: RegistrationCompletion,
        _ transaction: () async throws -> RegistrationOutcome
    ) async throws -> RegistrationOutcome {
        do {
            let outcome = try await transaction()
            if case .registered(let registered) = outcome { completion.wake(registered) }
            return outcome
        } catch is IdentityRepository.Duplicate {
            return .duplicate
        } catch is RegistrationCompletion.FlowOver {
            return .flowOver
        }
    }
}
