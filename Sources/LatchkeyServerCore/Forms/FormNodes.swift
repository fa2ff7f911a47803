package import LatchkeyWire

/// Derives the nodes of a flow's form from its kind, its state and its identity schema.
package struct FormNodes: Sendable {
    /// What a form is made for.
    package struct Occasion: Sendable {
        package var kind: FlowKind
        package var state: FlowState
        package var refresh = false

        /// Where the flow's code was sent.
        package var address: String?

        /// Whether the traits of a registration are known already.
        package var hasTraits = false

        package init(_ kind: FlowKind) {
            self.kind = kind
            state = kind.initialState
        }

        package init(_ flow: Flow) {
            kind = flow.kind
            state = flow.state
            refresh = flow.refresh
            address = flow.address
            hasTraits = flow.traits != nil
        }
    }

    private let schema: IdentitySchema
    private let settings: ServerSettings
    private let form: Form

    /// The nodes in order.
    ///
    /// - Parameters:
    ///   - occasion: What they are made for.
    ///   - schema: The identity schema.
    ///   - settings: The server's settings.
    ///   - form: Values and messages.
    /// - Returns: The nodes.
    package static func nodes(
        _ occasion: Occasion,
        _ schema: IdentitySchema,
        _ settings: ServerSettings,
        _ form: Form
    ) -> [UINode] {
        let nodes = FormNodes(schema: schema, settings: settings, form: form)
        return nodes.nodes(occasion, FlowMethods(occasion.kind, schema, settings)).adding(form.fieldMessages)
    }

    private func nodes(_ occasion: Occasion, _ methods: FlowMethods) -> [UINode] {
        let isCodeSent = occasion.state == .sentEmail
        switch occasion.kind {
        case .login where isCodeSent: return loginCode(occasion)
        case .login: return login(occasion, methods)
        case .registration where isCodeSent:
            return [Self.csrfToken] + ProfileNodes.traits(schema, isHidden: true, form)
                + CodeNodes.enter(UIMessage.Label.registrationCode, resend: "resend", "code")
        case .registration: return registration(occasion, methods)
        case .settings: return self.settings(methods)
        case .recovery where isCodeSent || occasion.state == .passedChallenge:
            return [Self.csrfToken]
                + CodeNodes.enter(
                    UIMessage.Label.recoveryCode,
                    pattern: "[0-9]+",
                    maxlength: 6,
                    resend: "email",
                    occasion.address ?? ""
                )
        case .recovery: return [Self.csrfToken] + ask(for: \.recovery)
        case .verification where isCodeSent:
            return CodeNodes.enter(UIMessage.Label.verificationCode, resend: "email", occasion.address ?? "")
        case .verification where occasion.state == .passedChallenge: return [Self.csrfToken]
        case .verification: return ask(for: \.verification)
        }
    }

    private func login(_ occasion: Occasion, _ methods: FlowMethods) -> [UINode] {
        // With a code one may have several addresses to choose from, so that the field is then shown.
        let isHidden = occasion.refresh && !methods.code
        var nodes = [Self.csrfToken, identifier(type: isHidden ? "hidden" : "text")]
        if methods.code { nodes.append(CodeNodes.ask(UIMessage.Label.sendSignInCode)) }
        if methods.password { nodes += occasion.refresh ? PasswordNodes.refresh : PasswordNodes.login }
        return nodes
    }

    private func loginCode(_ occasion: Occasion) -> [UINode] {
        var identifier = identifier(type: "hidden")
        if case .input(var input) = identifier.attributes {
            input.value = .string(occasion.address ?? "")
            identifier.attributes = .input(input)
        }
        return [Self.csrfToken, identifier]
            + CodeNodes.enter(UIMessage.Label.loginCode, resend: "resend", "code")
    }

    private func registration(_ occasion: Occasion, _ methods: FlowMethods) -> [UINode] {
        var nodes = [Self.csrfToken] + ProfileNodes.traits(schema, isHidden: occasion.hasTraits, form)
        guard !methods.profile || occasion.hasTraits else {
            return nodes + [ProfileNodes.submit(UIMessage.Label.signUp)]
        }
        if methods.code { nodes.append(CodeNodes.ask(UIMessage.Label.sendSignUpCode)) }
        if methods.password { nodes += PasswordNodes.registration }
        if occasion.hasTraits { nodes.append(ProfileNodes.back) }
        return nodes
    }

    private func settings(_ methods: FlowMethods) -> [UINode] {
        var nodes = [Self.csrfToken] + ProfileNodes.traits(schema, group: "profile", form)
        nodes.append(ProfileNodes.submit(UIMessage.Label.save))
        if methods.password { nodes += PasswordNodes.settings }
        return nodes
    }

    /// A field for an address of the kinds that can be used for something.
    private func ask(for use: KeyPath<TraitSchema, TraitSchema.Channel?>) -> [UINode] {
        let channels = Set(schema.fields.compactMap { $0.schema[keyPath: use] })
        let (type, label): (String, UIMessage) =
            switch (channels.contains(.email), channels.contains(.sms)) {
            case (true, true): ("text", UIMessage.Label.emailOrPhone)
            case (false, true): ("tel", UIMessage.Label.phone)
            default: ("email", UIMessage.Label.email)
            }
        return CodeNodes.address(type: type, label, value: form.values["email"])
    }

    private static let csrfToken = UINode(
        group: "default",
        attributes: .init(name: "csrf_token", type: "hidden", value: .string(""), required: true)
    )

    private func identifier(type: String) -> UINode {
        UINode(
            group: "default",
            attributes: .init(
                name: "identifier",
                type: type,
                value: form.values["identifier"] ?? .string(""),
                required: true
            ),
            label: identifierLabel
        )
    }

    /// The title of the only identifier; a name for all of them where there are several.
    private var identifierLabel: UIMessage {
        let identifiers = schema.fields.filter(\.schema.isIdentifier)
        guard identifiers.count == 1, let field = identifiers.first, let title = field.schema.title else {
            return UIMessage.Label.identifier
        }
        return UIMessage.Label.trait(field.name, title: title)
    }
}

extension [UINode] {
    /// The nodes with messages beside them; a message for a field without a node gets one of its own.
    fileprivate func adding(_ messages: [Form.FieldMessage]) -> [UINode] {
        var nodes = self
        for message in messages {
            if let index = nodes.firstIndex(where: { $0.name == message.field }) {
                nodes[index].messages.append(message.message)
            } else {
                nodes.append(
                    UINode(
                        group: "default",
                        attributes: .init(name: message.field, type: "text"),
                        messages: [message.message]
                    )
                )
            }
        }
        return nodes
    }
}
