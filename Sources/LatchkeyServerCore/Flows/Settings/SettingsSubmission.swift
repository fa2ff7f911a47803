package import LatchkeyModel
import LatchkeyWire

/// What was submitted to settings, judged without looking at the account.
package enum SettingsSubmission: Sendable {
    /// Traits to put in the place of the old ones.
    case profile(Traits, Form)

    /// A password to put in the place of the old one.
    case password(Secret)

    /// Something is wrong with the form; nothing was submitted that could be shown again.
    case refused(Form)

    /// A method that exists and is switched off.
    case disabled

    /// Judges a submission.
    ///
    /// - Parameters:
    ///   - submission: What was submitted.
    ///   - schema: The identity's schema.
    ///   - settings: The server's settings.
    ///   - released: The fields of addresses that have lost their roles; these may be left out.
    package init(
        _ submission: Submission,
        _ schema: IdentitySchema,
        _ settings: ServerSettings,
        released: Set<String> = []
    ) {
        switch FlowMethods(.settings, schema, settings).method(submission.method) {
        case .unknown, .code: self = .refused(Form(messages: [.noStrategy(.settings)]))
        case .disabled: self = .disabled
        case .password:
            var form = Form()
            self = submission.text("password", into: &form).map { .password(Secret($0)) } ?? .refused(form)
        case .profile:
            var form = Form()
            let submitted = submission.body["traits"]
            let traits = TraitReader.read(submitted, schema, optional: released, into: &form)
            if traits != nil, submitted == nil || submitted == .null {
                form.messages.append(.nothingToChange)
            }
            if let traits, settings.verificationBeforeChange, traits.json.count > FlowBounds.pendingTraits {
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
