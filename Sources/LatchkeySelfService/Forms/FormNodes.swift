package import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
package import LatchkeyWire

/// Builds the nodes of a flow's form, which depend on the kind and state of the flow and on its identity
/// schema.
package struct FormNodes: Sendable {
    /// The properties of a flow that determine its form nodes.
    package struct Occasion: Sendable {
        /// The kind of flow.
        package var kind: FlowKind
        /// The state of the flow.
        ///
        /// For example, the form for entering a code differs from the initial form.
        package var state: FlowState

        /// Whether the login is a re-authentication.
        package var refresh = false

        /// The address that the flow's code was sent to, or `nil` if no code has been sent yet.
        package var address: String?

        /// Whether a registration already has the traits from its first step.
        package var hasTraits = false

        /// Whether a registration with a password also asks for a code.
        package var asksForProof = false

        /// Creates the properties for a new flow.
        package init(_ kind: FlowKind) {
            self.kind = kind
            state = kind.initialState
        }

        /// Creates the properties for an existing flow.
        package init(_ flow: Flow) {
            kind = flow.kind
            state = flow.state
            refresh = flow.refresh
            address = flow.address
            hasTraits = flow.traits != nil
            asksForProof = flow.awaitsProof
        }
    }

    private let schema: IdentitySchema
    private let settings: FormSettings
    private let form: Form

    /// Returns the nodes of a form in display order.
    ///
    /// - Parameters:
    ///   - occasion: The kind, state and other properties of the flow.
    ///   - schema: The identity schema, whose traits become form fields.
    ///   - settings: The settings that determine which methods are enabled.
    ///   - form: The values of the fields, and the messages about them.
    /// - Returns: The nodes, including the messages that are shown next to their fields.
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

    /// Returns the nodes without any messages.
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

    /// Returns the nodes of a login flow before a code has been sent.
    private func login(for occasion: Occasion, methods: FlowMethods) -> [UINode] {
        // A user who can log in with a code may have several addresses to choose from, so we show the field.
        let isHidden = occasion.refresh && !methods.code
        var nodes = [Self.csrfToken, identifier(type: isHidden ? "hidden" : "text")]
        if methods.code { nodes.append(CodeNodes.ask(UIMessage.Label.sendSignInCode)) }
        if methods.password { nodes += occasion.refresh ? PasswordNodes.refresh : PasswordNodes.login }
        return nodes
    }

    /// Returns the nodes for entering a login code.
    ///
    /// The hidden identifier is the address that the code was sent to.
    private func loginCode(_ occasion: Occasion) -> [UINode] {
        var identifier = identifier(type: "hidden")
        if case .input(var input) = identifier.attributes {
            input.value = .string(occasion.address ?? "")
            identifier.attributes = .input(input)
        }
        return [Self.csrfToken, identifier]
            + CodeNodes.enter(UIMessage.Label.loginCode, resend: "resend", value: "code")
    }

    /// Returns the nodes of a registration flow.
    ///
    /// The fields for traits come first, followed by the methods, unless this step only asks for traits.
    private func registration(for occasion: Occasion, methods: FlowMethods) -> [UINode] {
        var nodes =
            [Self.csrfToken] + ProfileNodes.traits(of: schema, isHidden: occasion.hasTraits, form: form)
        guard !methods.profile || occasion.hasTraits else {
            return nodes + [ProfileNodes.submit(UIMessage.Label.signUp)]
        }
        if methods.code { nodes.append(CodeNodes.ask(UIMessage.Label.sendSignUpCode)) }
        if methods.password {
            nodes += occasion.asksForProof ? PasswordNodes.registrationWithCode : PasswordNodes.registration
        }
        if occasion.hasTraits { nodes.append(ProfileNodes.back) }
        return nodes
    }

    /// Returns the nodes of a settings flow, including a field for a new password if passwords are enabled.
    private func settings(_ methods: FlowMethods) -> [UINode] {
        var nodes = [Self.csrfToken] + ProfileNodes.traits(of: schema, group: "profile", form: form)
        nodes.append(ProfileNodes.submit(UIMessage.Label.save))
        if methods.password { nodes += PasswordNodes.settings }
        return nodes
    }

    /// Returns a field for an address.
    ///
    /// The input type depends on which channels the schema allows for the given use.
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

    /// An empty `csrf_token` field, which Kratos's forms for native clients contain too.
    private static let csrfToken = UINode(
        group: "default",
        attributes: .init(name: "csrf_token", type: "hidden", value: .string(""), required: true)
    )

    /// Returns the field for the login identifier, which may be visible or hidden.
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

    /// The label of the identifier field.
    ///
    /// If the schema has exactly one identifier and it has a title, the label is that title. Otherwise, a
    /// generic label is used.
    private var identifierLabel: UIMessage {
        let identifiers = schema.fields.filter(\.schema.isIdentifier)
        guard identifiers.count == 1, let field = identifiers.first, let title = field.schema.title else {
            return UIMessage.Label.identifier
        }
        return UIMessage.Label.trait(field.name, title: title)
    }
}

extension [UINode] {
    /// Returns the nodes with messages added to them.
    ///
    /// If a message is about a field that has no node, a text node is added to show it.
    ///
    /// Messages about the same field stay in order.
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
