import LatchkeyModel
import LatchkeyWire

/// A new password, which replaces the current one, if any.
struct PasswordChangeForm: MethodForm {
    let name = PasswordMethod.name
    let fields = ["password"]
    let settings: FormSettings

    func isOffered(in context: FormContext) -> Bool { settings.isPasswordEnabled }

    func nodes(in context: FormContext) -> [UINode] { PasswordNodes.settings }

    func parse(_ submission: Submission, in context: FormContext) -> FlowInput<Secret> {
        var form = Form()
        guard let password = submission.text("password", into: &form) else { return .refused(form) }
        return .valid(Secret(password))
    }
}
