package import LatchkeyAccounts
package import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// A submission to a settings flow, interpreted without a lookup of the account.
package enum SettingsSubmission: Sendable {
    /// Replace the traits.
    case profile(Traits, Form)

    /// Set or replace the password.
    case password(Secret)

    /// The form is invalid; its messages say why.
    case refused(Form)

    /// The method exists, but is disabled.
    case disabled

    /// Interprets a submission.
    ///
    /// - Parameters:
    ///   - submission: The parsed body.
    ///   - schema: The identity schema, against which the traits are validated.
    ///   - settings: The enabled methods, and whether changes wait for a verification, which limits traits.
    ///   - released: The fields of addresses that have lost their roles; they may be missing though required.
    package init(
        _ submission: Submission,
        schema: IdentitySchema,
        settings: FormSettings,
        released: Set<String> = []
    ) {
        switch FlowMethods(.settings, schema: schema, settings: settings).method(submission.method) {
        case .unknown, .code: self = .refused(Form(messages: [.noStrategy(.settings)]))
        case .disabled: self = .disabled
        case .password:
            var form = Form()
            self = submission.text("password", into: &form).map { .password(Secret($0)) } ?? .refused(form)
        case .profile:
            var form = Form()
            let submitted = submission.body["traits"]
            let traits = TraitReader.read(submitted, schema: schema, optional: released, into: &form)
            if traits != nil, submitted == nil || submitted == .null {
                form.messages.append(.nothingToChange)
            }
            if let traits, settings.verifiesAddressFirst, traits.json.count > FlowBounds.pendingTraits {
                form.messages.append(.traitsTooLarge(maximum: FlowBounds.pendingTraits))
            }
            if let traits, form.isValid {
                self = .profile(traits, form)
            } else {
                self = .refused(form)
            }
        }
    }
}
