import LatchkeyAccounts
import LatchkeyModel
import LatchkeyWire

/// The identifier and the password of a login.
struct PasswordLoginForm: MethodForm {
    struct Input: Sendable {
        /// The identifier before normalization, which has at most ``LoginIdentifier/byteLimit`` bytes.
        let identifier: String
        /// The password, whose length is limited only by the size of the body.
        let password: Secret
        /// The identifier, so that it can be shown again.
        let form: Form
    }

    let name = PasswordMethod.name
    let fields = ["identifier", "password"]
    let settings: FormSettings

    func isOffered(in context: FormContext) -> Bool { settings.isPasswordEnabled }

    func nodes(in context: FormContext) -> [UINode] {
        // In a re-authentication, the identifier is known.
        [context.identifierNode(type: context.flow.refresh ? "hidden" : "text")]
            + (context.flow.refresh ? PasswordNodes.refresh : PasswordNodes.login)
    }

    func parse(_ submission: Submission, in context: FormContext) -> FlowInput<Input> {
        var form = Form()
        let identifier = submission.identifier(isAddress: settings.identifiersAreAddresses, into: &form)
        let password = submission.text("password", into: &form)
        if let identifier { form.values["identifier"] = .string(identifier) }
        guard let identifier, let password else { return .refused(form) }
        return .valid(Input(identifier: identifier, password: Secret(password), form: form))
    }
}
