import LatchkeyAccounts
package import LatchkeyWire

/// The forms of all methods, for each kind of flow.
package struct MethodForms: Sendable {
    /// Methods that Kratos supports but this server doesn't.
    ///
    /// These methods are rejected as disabled rather than unknown.
    private static let others: Set<String> = ["oidc", "saml"]

    /// The name of the method for traits without a credential, which is also a step of registrations.
    static let profile = "profile"

    /// The names of form fields that every flow accepts.
    private static let sharedFields = ["method", "csrf_token", "screen"]

    /// The settings, which apply to all methods.
    package let settings: FormSettings

    /// The names of all methods, in the order of their forms.
    package let names: [String]

    /// The names of the form fields that are not traits.
    package let fields: [String]

    private let forms: [FlowKind: [any MethodForm]]

    /// Creates the forms of the given methods.
    package init(_ settings: FormSettings, of methods: [any SignInMethod.Type] = .builtIn) {
        self.settings = settings
        var forms: [FlowKind: [any MethodForm]] = [:]
        for kind in FlowKind.allCases {
            forms[kind] = methods.compactMap { $0.form(in: kind, settings: settings) }
        }
        self.forms = forms
        let all = FlowKind.allCases.flatMap { forms[$0] ?? [] }
        names = all.reduce(into: []) { if !$0.contains($1.name) { $0.append($1.name) } }
        fields = (Self.sharedFields + all.flatMap(\.fields)).reduce(into: []) {
            if !$0.contains($1) { $0.append($1) }
        }
    }

    /// Returns the forms of a kind of flow, in display order, whether or not a flow offers them.
    func all(in kind: FlowKind) -> [any MethodForm] { forms[kind] ?? [] }

    /// Returns the methods that a flow offers.
    ///
    /// A flow that asks for the second factor doesn't offer the first ones, and the other way around.
    package func offered(in context: FormContext) -> [any MethodForm] {
        let flow = context.flow
        return all(in: flow.kind).filter { form in
            (form.level == flow.requestedAAL || flow.kind == .settings) && form.isOffered(in: context)
        }
    }

    /// The method that a submission chooses.
    package enum Choice: Sendable {
        case method(any MethodForm)
        /// A known method that the flow doesn't offer.
        case disabled
        /// An unknown method, or no method at all.
        case unknown
    }

    /// Returns the method that a submission chooses, whose name is `nil` if the submission doesn't name one.
    package func choice(_ name: String?, in context: FormContext) -> Choice {
        guard let name else { return .unknown }
        if let form = offered(in: context).first(where: { $0.name == name }) { return .method(form) }
        return names.contains(name) || Self.others.contains(name) ? .disabled : .unknown
    }

    // MARK: Nodes

    /// Returns the nodes of a form in display order, including the messages that are shown next to their
    /// fields.
    package func nodes(in context: FormContext) -> [UINode] {
        let methods = shown(in: context)
        let kind = context.flow.kind
        var nodes = Self.sharedNodes(in: context, isAlone: methods.isEmpty)
        for method in methods {
            for node in method.nodes(in: context)
            where node.group != "default" || !nodes.contains(where: { $0.name == node.name }) {
                nodes.append(node)
            }
        }
        if kind == .registration, context.flow.traits != nil, context.flow.state != .sentEmail {
            nodes.append(ProfileNodes.back)
        }
        return nodes.adding(context.form.fieldMessages)
    }

    /// Returns the methods whose nodes a form shows.
    private func shown(in context: FormContext) -> [any MethodForm] {
        let (methods, flow) = (offered(in: context), context.flow)
        // The form for a code that was sent has no other fields, even if the operator has turned codes off since.
        if flow.state == .sentEmail { return all(in: flow.kind).filter { $0.name == flow.active } }
        // The code was right, so only the fields are missing.
        if flow.awaitsFields { return all(in: flow.kind).filter { $0.name == flow.active } }
        if flow.kind == .settings, flow.dutyFields != nil {
            return methods.filter { $0.name == Self.profile }
        }
        guard flow.kind == .registration, settings.registrationStyle == .profileFirst else { return methods }
        // The first of two steps only asks for the traits.
        return methods.filter { ($0.name == Self.profile) == (flow.traits == nil) }
    }

    /// Returns the nodes that a kind of flow shows before those of its methods, if it shows any.
    private static func sharedNodes(in context: FormContext, isAlone: Bool) -> [UINode] {
        let flow = context.flow
        switch flow.kind {
        case .login where isAlone:
            return flow.requestedAAL == .aal1
                ? [csrfToken, context.identifierNode(type: flow.refresh ? "hidden" : "text")] : []
        case .login, .settings, .recovery: return [csrfToken]
        case .registration:
            return [csrfToken]
                + ProfileNodes.traits(
                    of: context.schema,
                    isHidden: flow.traits != nil,
                    form: context.form,
                    rules: flow.fields
                )
        case .verification:
            // Kratos's forms for native apps only have the token in the last step.
            return flow.state == .passedChallenge || flow.type == .browser ? [csrfToken] : []
        }
    }

    /// An empty `csrf_token` field, which Kratos's forms for native clients contain too.
    static let csrfToken = UINode(
        group: "default",
        attributes: .init(name: "csrf_token", type: "hidden", value: .string(""), required: true)
    )
}

extension [UINode] {
    /// Returns the nodes with messages added to them, in order.
    ///
    /// If a message is about a field that has no node, a text node is added to show it.
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
