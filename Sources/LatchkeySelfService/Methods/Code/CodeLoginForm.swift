import LatchkeyAccounts
import LatchkeyModel
import LatchkeyWire

/// The identifier that a login code is sent to, and then the code.
struct CodeLoginForm: MethodForm {
    enum Input: Sendable {
        /// Sends a code to an identifier.
        case send(to: String, Form)

        /// Checks a code. The value is `nil` if the submitted text can't be a code, which isn't a guess.
        ///
        /// If an identifier is submitted, it must be the one that the code was sent to.
        case check(OneTimeCode?, identifier: String?, Form)
    }

    let name = CodeMethod.name
    let fields = ["identifier", "code", "resend"]
    let settings: FormSettings

    func isOffered(in context: FormContext) -> Bool { settings.offersCodes(by: context.schema) }

    func nodes(in context: FormContext) -> [UINode] {
        guard context.flow.state == .sentEmail else {
            // A user may have several addresses to choose from, also in a re-authentication.
            return [context.identifierNode(type: "text"), CodeNodes.ask(UIMessage.Label.sendSignInCode)]
        }
        return [context.identifierNode(type: "hidden", value: .string(context.flow.address ?? ""))]
            + CodeNodes.enter(UIMessage.Label.loginCode, resend: "resend", value: "code")
    }

    /// Parses a submission.
    ///
    /// If the flow is waiting for a code and the user doesn't ask for another one, the code is checked.
    /// Otherwise, a code is sent to the submitted identifier, or to the address that the previous code was
    /// sent to.
    func parse(_ submission: Submission, in context: FormContext) -> FlowInput<Input> {
        var form = Form()
        let flow = context.flow
        let submitted = submission.optionalText("identifier")
        if submitted != nil, submission.identifier(isAddress: true, into: &form) == nil {
            return .refused(form)
        }
        if flow.state == .sentEmail, !submission.asksForAnotherCode {
            guard let code = submission.text("code", into: &form) else { return .refused(form) }
            return .valid(.check(OneTimeCode(code), identifier: submitted, form))
        }
        guard let identifier = submitted ?? flow.address else {
            _ = submission.text("identifier", into: &form)
            return .refused(form)
        }
        form.values["identifier"] = .string(identifier)
        return .valid(.send(to: identifier, form))
    }
}
