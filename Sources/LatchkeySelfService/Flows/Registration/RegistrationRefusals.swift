import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit

/// Converts the outcomes of registrations, and saves the forms of those that were rejected.
struct RegistrationRefusals: Sendable {
    private let lifecycle: FlowLifecycle
    private let forms: FormSettings
    private let hints: LoginHints
    private let time: any TimeSource

    init(_ services: MethodServices) {
        lifecycle = services.lifecycle
        forms = services.forms
        hints = LoginHints(
            identities: services.accounts.identities,
            settings: services.settings.registration,
            codeSettings: services.settings.codes,
            schemas: services.accounts.schemas
        )
        time = services.environment.time
    }

    /// Returns the outcome of the flow, whose form shows the submitted traits again.
    func outcome(
        of outcome: RegistrationOutcome,
        to request: RegistrationCompletion.Request,
        form: Form
    ) async throws -> FlowOutcome {
        var (flow, form, isCounted) = (request.flow, form, true)
        switch outcome {
        case .registered(let registered): return .registered(registered)
        case .refused(let message, let field?): form.refuse(field, with: message)
        case .refused(let message, nil): form = form.with(message)
        case .uncounted(let message):
            form = form.with(message)
            isCounted = false
        case .duplicate(let duplicate, let isDuplicateCounted):
            flow = duplicate
            form = form.with(try await hints.refusal(of: request.traits))
            isCounted = isDuplicateCounted
        case .incomplete(let proven):
            return .waiting(try await askForFields(in: proven, form: form, of: request))
        case .unproven(let unproven, let message):
            form = form.with(try await hints.refusal(of: request.traits))
            form.refuse("code", with: message)
            flow = unproven
            // Only the second of two steps keeps the traits, even if the user has asked for a code before.
            if flow.state == .chooseMethod {
                flow.traits = forms.registrationStyle == .profileFirst ? request.traits.json : nil
            }
        }
        return try await lifecycle.refuse(
            flow,
            with: form,
            at: time.now,
            from: request.context.peer,
            isCounted: isCounted
        )
    }

    /// Saves the flow, whose form shows the traits as fields again.
    private func askForFields(
        in proven: Flow,
        form: Form,
        of request: RegistrationCompletion.Request
    ) async throws -> Flow {
        var (flow, form) = (proven, form)
        flow.state = .chooseMethod
        flow.active = AuthenticationMethod.code.name
        flow.address = nil
        flow.traits = nil
        form.note(try? JSONParser.parse(request.traits.json, from: .storage), by: flow.fields)
        return try await lifecycle.update(flow, showing: form, at: time.now, from: request.context.peer)
    }
}
