import LatchkeyAccounts
import LatchkeyWire

/// The outcome of a registration.
enum RegistrationOutcome: Sendable {
    case registered(RegistrationCompletion.Registered)

    /// The credential is wrong or not allowed; the message concerns `field`, or the form if it is `nil`.
    case refused(UIMessage, field: String? = nil)

    /// Another account has one of the identifiers or addresses.
    case duplicate

    /// Another request completed the flow or verified another phone number in it, or the flow has expired.
    case flowOver

    /// Runs the transaction of a registration, wakes the courier, and turns expected errors into outcomes.
    static func of(
        _ completion: RegistrationCompletion,
        performing transaction: () async throws -> RegistrationOutcome
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
