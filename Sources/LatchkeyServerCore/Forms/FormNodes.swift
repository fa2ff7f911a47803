package import LatchkeyWire

/// Derives the nodes of a flow's form from its identity schema.
package enum FormNodes {
    /// The nodes of a login.
    ///
    /// - Parameters:
    ///   - schema: The identity schema.
    ///   - refresh: Whether somebody who is logged in proves it again; the identifier is then hidden.
    ///   - form: Values and messages.
    /// - Returns: The nodes in order.
    package static func login(_ schema: IdentitySchema, refresh: Bool, _ form: Form) -> [UINode] {
        let nodes = [
            csrfToken,
            UINode(
                group: "default",
                attributes: .init(
                    name: "identifier",
                    type: refresh ? "hidden" : "text",
                    value: form.values["identifier"] ?? .string(""),
                    required: true
                ),
                label: identifierLabel(schema)
            ),
            password(autocomplete: "current-password"),
            submit(refresh ? UIMessage.Label.signIn : UIMessage.Label.signInWithPassword),
        ]
        return nodes.adding(form.fieldMessages)
    }

    /// The nodes of a registration.
    package static func registration(_ schema: IdentitySchema, _ form: Form) -> [UINode] {
        var nodes = [csrfToken]
        nodes += schema.fields.map { trait($0, value: form.values[$0.name]) }
        nodes += [password(autocomplete: "new-password"), submit(UIMessage.Label.signUp)]
        return nodes.adding(form.fieldMessages)
    }

    private static let csrfToken = UINode(
        group: "default",
        attributes: .init(name: "csrf_token", type: "hidden", value: .string(""), required: true)
    )

    private static func password(autocomplete: String) -> UINode {
        UINode(
            group: "password",
            attributes: .init(name: "password", type: "password", required: true, autocomplete: autocomplete),
            label: UIMessage.Label.password
        )
    }

    private static func submit(_ label: UIMessage) -> UINode {
        UINode(
            group: "password",
            attributes: .init(name: "method", type: "submit", value: .string("password")),
            label: label
        )
    }

    private static func trait(_ field: TraitField, value: JSONValue?) -> UINode {
        let (type, autocomplete) = input(field.schema.shape)
        return UINode(
            group: "default",
            attributes: .init(
                name: field.name,
                type: type,
                value: value,
                required: field.isRequired ? true : nil,
                autocomplete: autocomplete
            ),
            label: field.schema.title.map { UIMessage.Label.trait(field.name, title: $0) }
        )
    }

    private static func input(_ shape: TraitSchema.Shape) -> (type: String, autocomplete: String?) {
        switch shape {
        case .boolean: ("checkbox", nil)
        case .number, .integer: ("number", nil)
        case .string(let rule):
            switch rule.format {
            case .email: ("email", "email")
            case .tel: ("tel", "tel")
            case .date: ("date", nil)
            case nil: ("text", nil)
            }
        case .object: ("text", nil)
        }
    }

    /// The title of the only identifier; a name for all of them where there are several.
    private static func identifierLabel(_ schema: IdentitySchema) -> UIMessage {
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
            if let index = nodes.firstIndex(where: { $0.attributes.name == message.field }) {
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
