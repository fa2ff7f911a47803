import LatchkeyAccounts
import LatchkeyServerKit

/// Moves between the two steps of a registration.
struct ProfileRegistration: FlowMethod {
    let form: ProfileRegistrationForm
    private let lifecycle: FlowLifecycle

    init(_ services: MethodServices) {
        form = ProfileRegistrationForm(settings: services.forms)
        lifecycle = services.lifecycle
    }

    func perform(_ input: ProfileRegistrationForm.Input, in context: FlowContext) async throws -> FlowOutcome
    {
        // As for the other methods, an invalid proof of possession is rejected before anything is stored.
        _ = try KeyBinding(context.request)
        return switch input {
        case .back(let form): try await step(in: context, traits: nil, form: form)
        case .next(let traits, let form):
            try await step(in: context, traits: traits, form: form.with(.chooseCredential))
        }
    }

    /// Moves on to the choice of a credential, or back to the first step if `traits` is `nil`.
    private func step(in context: FlowContext, traits: Traits?, form: Form) async throws -> FlowOutcome {
        var flow = context.flow
        flow.state = .chooseMethod
        flow.active = nil
        flow.address = nil
        flow.traits = traits?.json
        return try await lifecycle.refuse(
            flow,
            with: form,
            at: context.request.now,
            from: context.request.peer
        )
    }
}
