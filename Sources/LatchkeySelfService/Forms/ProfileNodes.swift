import LatchkeyAccounts
import LatchkeyWire

/// The form nodes for traits.
enum ProfileNodes {
    /// Returns fields for all traits in a schema.
    ///
    /// - Parameters:
    ///   - schema: The identity schema.
    ///   - group: The node group, which is `profile` in settings forms and `default` in all other forms.
    ///   - isHidden: Whether to hide the fields because they only repeat traits from an earlier step.
    ///   - form: The values of the fields.
    ///   - rules: The rules of the client that the flow leads to, whose required fields are marked unless they
    ///     are hidden.
    /// - Returns: The nodes, in the order of the schema.
    static func traits(
        of schema: IdentitySchema,
        group: String = "default",
        isHidden: Bool = false,
        form: Form,
        rules: FieldRules? = nil
    ) -> [UINode] {
        schema.fields.map { field in
            let (type, autocomplete) = input(field.schema.shape)
            let isRequired = field.isRequired || !isHidden && rules?.requires(field.name) == true
            return UINode(
                group: group,
                attributes: .init(
                    name: field.name,
                    type: isHidden ? "hidden" : type,
                    value: form.values[field.name],
                    required: isRequired ? true : nil,
                    autocomplete: autocomplete
                ),
                label: field.schema.title.map { UIMessage.Label.trait(field.name, title: $0) }
            )
        }
    }

    /// Returns a button that submits the traits and chooses the `profile` method.
    static func submit(_ label: UIMessage) -> UINode {
        UINode(
            group: "profile",
            attributes: .init(name: "method", type: "submit", value: .string("profile")),
            label: label
        )
    }

    /// A button that goes back to the fields for traits by submitting `screen=previous`, as in Kratos.
    static let back = UINode(
        group: "profile",
        attributes: .init(name: "screen", type: "submit", value: .string("previous")),
        label: UIMessage.Label.back
    )

    /// Returns the input type for a trait, and the `autocomplete` attribute if there is one for its format.
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
}
