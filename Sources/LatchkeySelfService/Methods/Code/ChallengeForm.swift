import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeyWire

/// The address of a recovery or verification, and then the code that was sent to it.
///
/// These flows have codes even if the operator has disabled logins with codes.
struct ChallengeForm: MethodForm {
    enum Input: Sendable {
        /// Asks for a code to be sent to an address.
        ///
        /// The address is normalized and doesn't need to belong to an account.
        case send(to: ContactAddress)

        /// Checks a code. The value is `nil` if the submitted text can't be a code, which isn't a guess.
        case check(OneTimeCode?)
    }

    let name = CodeMethod.name
    let fields = ["email", "code"]

    /// Returns the fields and buttons.
    ///
    /// A browser that has opened a mailed link can only enter the code: the reader of the mail may be another user than
    /// the one who asked for it.
    func nodes(in context: FormContext) -> [UINode] {
        let nodes = allNodes(in: context)
        guard context.flow.isOpenedElsewhere else { return nodes }
        return nodes.filter { $0.name != "email" }
    }

    private func allNodes(in context: FormContext) -> [UINode] {
        let flow = context.flow
        let resend = flow.address ?? ""
        switch (flow.kind, flow.state) {
        case (.recovery, .sentEmail), (.recovery, .passedChallenge):
            return CodeNodes.enter(
                UIMessage.Label.recoveryCode,
                pattern: "[0-9]+",
                maxlength: 6,
                resend: "email",
                value: resend
            )
        case (.recovery, _): return address(for: \.recovery, in: context)
        case (_, .sentEmail):
            return CodeNodes.enter(UIMessage.Label.verificationCode, resend: "email", value: resend)
        case (_, .passedChallenge): return []
        default: return address(for: \.verification, in: context)
        }
    }

    /// Returns a field for an address, whose type depends on the channels that the schema allows.
    ///
    /// If the schema has no address for this use, the type is `email`.
    private func address(
        for use: KeyPath<TraitSchema, Message.Channel?>,
        in context: FormContext
    ) -> [UINode] {
        let channels = Set(context.schema.fields.compactMap { $0.schema[keyPath: use] })
        let (type, label): (String, UIMessage) =
            switch (channels.contains(.email), channels.contains(.sms)) {
            case (true, true): ("text", UIMessage.Label.emailOrPhone)
            case (false, true): ("tel", UIMessage.Label.phone)
            default: ("email", UIMessage.Label.email)
            }
        return CodeNodes.address(type: type, label: label, value: context.form.values["email"])
    }

    /// Parses a submission.
    ///
    /// If it contains both an address and a code, recovery flows use the address and verification flows use
    /// the code, as in Kratos.
    func parse(_ submission: Submission, in context: FormContext) -> FlowInput<Input> {
        let flow = context.flow
        let (email, code) = (submission.optionalText("email"), submission.optionalText("code"))
        let waits = flow.state == .sentEmail
        if let code, waits || flow.kind == .verification, flow.kind == .verification || email == nil {
            return .valid(.check(OneTimeCode(code)))
        } else if let email {
            return parse(address: email)
        } else {
            var form = Form()
            _ = submission.text(waits ? "code" : "email", into: &form)
            return .refused(form)
        }
    }

    /// Parses an e-mail address or phone number.
    ///
    /// For any other text, an error message is shown next to the field.
    private func parse(address text: String) -> FlowInput<Input> {
        guard text.utf8.count <= LoginIdentifier.byteLimit else {
            var form = Form()
            form.refuse("email", with: .tooLong(text.utf8.count, maximum: LoginIdentifier.byteLimit))
            return .refused(form)
        }
        if let address = ContactAddress(LoginIdentifier.normalize(text)) {
            return .valid(.send(to: address))
        }
        var form = Form(values: ["email": .string(text)])
        form.refuse("email", with: PhoneNumber.resembles(text) ? .invalidPhone(text) : .invalidEmail(text))
        return .refused(form)
    }
}

extension Submission {
    /// The method of a submission to a recovery or verification.
    ///
    /// There is only one method, so clients don't have to name it if they submit an address or a code.
    var challengeMethod: String? {
        method ?? (optionalText("email") == nil && optionalText("code") == nil ? nil : CodeMethod.name)
    }
}
