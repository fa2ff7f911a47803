import LatchkeyWire

/// What traits contribute to forms.
enum ProfileNodes {
    /// Fields for all traits of a schema.
    ///
    /// - Parameters:
    ///   - schema: The schema.
    ///   - group: Whose fields they are: `default`, or `profile` where the traits are the matter itself.
    ///   - isHidden: Whether they bring along what was said before.
    ///   - form: The values.
    /// - Returns: The fields in the order of the schema.
    static func traits(
        _ schema: IdentitySchema,
        group: String = "default",
        isHidden: Bool = false,
        _ form: Form
    ) -> [UINode] {
        schema.fields.map { field in
            let (type, autocomplete) = input(field.schema.shape)
            return UINode(
                group: group,
                attributes: .init(
                    name: field.name,
                    type: isHidden ? "hidden" : type,
                    value: form.values[field.name],
                    required: field.isRequired ? true : nil,
                    autocomplete: autocomplete
                ),
                label: field.schema.title.map { UIMessage.Label.trait(field.name, title: $0) }
            )
        }
    }

    /// A button that hands the traits in.
    static func submit(_ label: UIMessage) -> UINode {
        UINode(
            group: "profile",
            attributes: .init(name: "method", type: "submit", value: .string("profile")),
            label: label
        )
    }

    /// A button that leads back to the traits.
    static let back = UINode(
        group: "profile",
        attributes: .init(name: "screen", type: "submit", value: .string("previous")),
        label: UIMessage.Label.back
    )

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
