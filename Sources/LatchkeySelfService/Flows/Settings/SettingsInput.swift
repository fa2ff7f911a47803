package import LatchkeyAccounts
package import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// A submission to a settings flow, parsed without looking up the account.
package enum SettingsInput: Sendable {
    /// Traits that replace the current ones.
    case profile(Traits, Form)

    /// A new password, which replaces the current one if there is one.
    case password(Secret)

    /// Parses a submission.
    ///
    /// - Parameters:
    ///   - submission: The parsed body.
    ///   - schema: The identity schema, against which the traits are validated.
    ///   - settings: The enabled methods, and whether changes wait for a verification, which limits the size
    ///     of traits.
    ///   - released: The address fields that are empty or whose value is no longer one of the identity's
    ///     addresses; they may be missing even if the schema requires them.
    /// - Returns: The parsed input, or the form with error messages if the submission is invalid.
    package static func parse(
        _ submission: Submission,
        schema: IdentitySchema,
        settings: FormSettings,
        released: Set<String> = []
    ) -> FlowInput<SettingsInput> {
        switch FlowMethods(.settings, schema: schema, settings: settings).method(submission.method) {
        case .unknown, .code: return .refused(Form(messages: [.noStrategy(.settings)]))
        case .disabled: return .disabled
        case .password:
            var form = Form()
            guard let password = submission.text("password", into: &form) else { return .refused(form) }
            return .valid(.password(Secret(password)))
        case .profile:
            var form = Form()
            let submitted = submission.body["traits"]
            let traits = TraitValidator.read(submitted, schema: schema, optional: released, into: &form)
            if traits != nil, submitted == nil || submitted == .null {
                form.messages.append(.nothingToChange)
            }
            if let traits, settings.verifiesAddressFirst, traits.json.count > FlowBounds.pendingTraits {
                form.messages.append(.traitsTooLarge(maximum: FlowBounds.pendingTraits))
            }
            guard let traits, form.isValid else {
                return .refused(form)
            }
            return .valid(.profile(traits, form))
        }
    }
}
