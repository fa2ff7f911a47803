package import LatchkeyAccounts
package import LatchkeyModel
import LatchkeyServerKit
package import LatchkeyWire

/// A submission to a settings flow, parsed without looking up the account.
package enum SettingsInput: Sendable {
    /// New traits that replace the current ones.
    case profile(Traits, Form)

    /// A new password that replaces the current one, if any.
    case password(Secret)

    /// Parses a submission.
    ///
    /// - Parameters:
    ///   - submission: The parsed request body.
    ///   - schema: The identity schema, used to validate the traits.
    ///   - settings: The enabled methods and the e-mail addresses to accept.
    ///   - waived: The fields that may be missing even if the schema requires them.
    ///   - current: The current values of the account's fields, which stay valid.
    /// - Returns: The parsed input. If the submission is invalid, the form with error messages is returned
    ///   instead.
    package static func parse(
        _ submission: Submission,
        schema: IdentitySchema,
        settings: FormSettings,
        waived: Set<String> = [],
        current: [String: JSONValue] = [:]
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
            let traits = TraitValidator.read(
                submitted,
                schema: schema,
                optional: waived,
                mailboxes: settings.mailboxes(keeping: current),
                into: &form
            )
            if traits != nil, submitted == nil || submitted == .null {
                form.messages.append(.nothingToChange)
            }
            guard let traits, form.isValid else {
                return .refused(form)
            }
            return .valid(.profile(traits, form))
        }
    }
}
