package import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
package import LatchkeyWire

/// A builder of the nodes of a flow's form, which depend on its kind, its state and its identity schema.
package struct FormNodes: Sendable {
    /// The properties of a flow on which its nodes depend.
    package struct Occasion: Sendable {
        /// The kind of flow.
        package var kind: FlowKind
        /// The state of the flow; for example, a form for entering a code differs from the initial form.
        package var state: FlowState

        /// Whether the login is a re-authentication.
        package var refresh = false

        /// The address to which the flow's code was sent; `nil` before the first code.
        package var address: String?

        /// Whether the traits of a registration are already known from its first step.
        package var hasTraits = false

        /// Creates the properties of a new flow.
        package init(_ kind: FlowKind) {
            self.kind = kind
            state = kind.initialState
        }

        /// Creates the properties of an existing flow.
        package init(_ flow: Flow) {
            kind = flow.kind
            state = flow.state
            refresh = flow.refresh
            address = flow.address
            hasTraits = flow.traits != nil
        }
    }

    private let schema: IdentitySchema
    private let settings: FormSettings
    private let form: Form

    /// Returns the nodes of a form in display order.
    ///
    /// - Parameters:
    ///   - occasion: The kind, state and other properties of the flow.
    ///   - schema: The identity schema, whose traits become fields.
    ///   - settings: The settings that enable the methods.
    ///   - form: The values of the fields, and the messages about them.
    /// - Returns: The nodes with the messages about their fields, but without the messages about the whole
    ///   form.
    package static func nodes(
        for occasion: Occasion,
        schema: IdentitySchema,
        settings: FormSettings,
        form: Form
    ) -> [UINode] {
        let nodes = FormNodes(schema: schema, settings: settings, form: form)
        return nodes.nodes(
            for: occasion,
            methods: FlowMethods(occasion.kind, schema: schema, settings: settings)
        ).adding(form.fieldMessages)
    }

    /// Returns the nodes without the messages about fields.
    private func nodes(for occasion: Occasion, methods: FlowMethods) -> [UINode] {
        let isCodeSent = occasion.state == .sentEmail
        switch occasion.kind {
        case .login where isCodeSent: return loginCode(occasion)
        case .login: return login(for: occasion, methods: methods)
        case .registration where isCodeSent:
            return [Self.csrfToken] + ProfileNodes.traits(of: schema, isHidden: true, form: form)
                + CodeNodes.enter(UIMessage.Label.registrationCode, resend: "resend", value: "code")
        case .registration: return registration(for: occasion, methods: methods)
        case .settings: return self.settings(methods)
        case .recovery where isCodeSent || occasion.state == .passedChallenge:
            return [Self.csrfToken]
                + CodeNodes.enter(
                    UIMessage.Label.recoveryCode,
                    pattern: "[0-9]+",
                    maxlength: 6,
                    resend: "email",
                    value: occasion.address ?? ""
                )
        case .recovery: return [Self.csrfToken] + ask(for: \.recovery)
        case .verification where isCodeSent:
            return CodeNodes.enter(
                UIMessage.Label.verificationCode,
                resend: "email",
                value: occasion.address ?? ""
            )
        case .verification where occasion.state == .passedChallenge: return [Self.csrfToken]
        case .verification: return ask(for: \.verification)
        }
    }

    /// Returns the nodes of a login before a code is sent.
    private func login(for occasion: Occasion, methods: FlowMethods) -> [UINode] {
        // A user who can log in with a code may have several addresses to choose from, so the field is
        // visible.
        let isHidden = occasion.refresh && !methods.code
        var nodes = [Self.csrfToken, identifier(type: isHidden ? "hidden" : "text")]
        if methods.code { nodes.append(CodeNodes.ask(UIMessage.Label.sendSignInCode)) }
        if methods.password { nodes += occasion.refresh ? PasswordNodes.refresh : PasswordNodes.login }
        return nodes
    }

    /// Returns the nodes for entering a login code.
    ///
    /// The hidden identifier is the address to which the code was sent.
    private func loginCode(_ occasion: Occasion) -> [UINode] {
        var identifier = identifier(type: "hidden")
        if case .input(var input) = identifier.attributes {
            input.value = .string(occasion.address ?? "")
            identifier.attributes = .input(input)
        }
        return [Self.csrfToken, identifier]
            + CodeNodes.enter(UIMessage.Label.loginCode, resend: "resend", value: "code")
    }

    /// Returns the nodes of a registration.
    ///
    /// The fields for traits come first; the methods follow unless this step asks only for traits.
    private func registration(for occasion: Occasion, methods: FlowMethods) -> [UINode] {
        var nodes =
            [Self.csrfToken] + ProfileNodes.traits(of: schema, isHidden: occasion.hasTraits, form: form)
        guard !methods.profile || occasion.hasTraits else {
            return nodes + [ProfileNodes.submit(UIMessage.Label.signUp)]
        }
        if methods.code { nodes.append(CodeNodes.ask(UIMessage.Label.sendSignUpCode)) }
        if methods.password { nodes += PasswordNodes.registration }
        if occasion.hasTraits { nodes.append(ProfileNodes.back) }
        return nodes
    }

    /// Returns the nodes of a settings flow, with a new password if the method is enabled.
    private func settings(_ methods: FlowMethods) -> [UINode] {
        var nodes = [Self.csrfToken] + ProfileNodes.traits(of: schema, group: "profile", form: form)
        nodes.append(ProfileNodes.submit(UIMessage.Label.save))
        if methods.password { nodes += PasswordNodes.settings }
        return nodes
    }

    /// Returns the field for an address, with a type for the channels that the schema allows for the given
    /// use.
    ///
    /// If the schema has no address for this use, the type is `email`.
    private func ask(for use: KeyPath<TraitSchema, Message.Channel?>) -> [UINode] {
        let channels = Set(schema.fields.compactMap { $0.schema[keyPath: use] })
        let (type, label): (String, UIMessage) =
            switch (channels.contains(.email), channels.contains(.sms)) {
            case (true, true): ("text", UIMessage.Label.emailOrPhone)
            case (false, true): ("tel", UIMessage.Label.phone)
            default: ("email", UIMessage.Label.email)
            }
        return CodeNodes.address(type: type, label: label, value: form.values["email"])
    }

    /// The empty `csrf_token` field, which Kratos's forms for native clients have as well.
    private static let csrfToken = UINode(
        group: "default",
        attributes: .init(name: "csrf_token", type: "hidden", value: .string(""), required: true)
    )

    /// Returns the field for the login identifier, visible or hidden.
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

    /// If the schema has exactly one identifier with a title, the label is that title; otherwise it is
    /// generic.
    ///
    /// If the schema has exactly one identifier, the label is its title.
    private var identifierLabel: UIMessage {
        let identifiers = schema.fields.filter(\.schema.isIdentifier)
        guard identifiers.count == 1, let field = identifiers.first, let title = field.schema.title else {
            return UIMessage.Label.identifier
        }
        return UIMessage.Label.trait(field.name, title: title)
    }
}

extension [UINode] {
    /// Returns the nodes with messages added.
    ///
    /// For a field without a node, a new text node shows the message.
    ///
    /// The messages of a field keep their order.
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
