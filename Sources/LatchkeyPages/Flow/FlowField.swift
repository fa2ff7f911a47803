import LatchkeySelfService
import LatchkeyWire

/// A visible field of a flow's form, with its label and its messages.
struct FlowField {
    let id: HTML.ID
    /// The label without remarks.
    let name: String
    /// The texts of the errors about the value.
    let errors: [String]

    private let index: Int
    private let input: UIAttributes.Input
    private let label: String
    private let hints: [String]
    /// The page of the document that a checkbox is about.
    private let document: HTML.Anchor?
    private let isFocused: Bool

    /// Creates a field.
    ///
    /// `id` is the number of the node, which is unique in the page.
    init(_ input: UIAttributes.Input, of node: UINode, id: Int, isFocused: Bool, in texts: PageTexts) {
        index = id
        self.id = .field(id)
        self.input = input
        self.isFocused = isFocused
        // A trait without a title has only its name.
        let last = input.name.split(separator: ".").last.map(String.init) ?? input.name
        name = node.meta.label.map { texts($0) } ?? last
        let isOptional = input.name.hasPrefix("traits.") && input.required != true && !input.isCheckbox
        label = isOptional ? texts(.optionalField, with: [.label: UntrustedText(name)]) : name
        let context = node.meta.label?.context ?? [:]
        if case .string(let url)? = context["url"], case .string(let title)? = context["title"] {
            document = LinkURL(url).map { HTML.Anchor(title, to: $0) }
        } else {
            document = nil
        }
        errors = node.messages.filter { $0.type == .error }.map { texts($0) }
        hints = node.messages.filter { $0.type != .error }.map { texts($0) }
    }

    func write(to html: inout HTML) {
        html.add(.group, with: [.style(.field)]) { html in
            if input.isCheckbox {
                html.add(.group, with: [.style(.check)]) { html in
                    html.add(.input, with: attributes)
                    // The first of several values counts, so this is the value of a box that isn't ticked.
                    html.hidden([FormField(name: input.name, value: "false")])
                    html.add(.label, with: [.label(for: id)]) { $0.text(label) }
                }
                if let document { html.links([document]) }
            } else {
                html.add(.label, with: [.label(for: id)]) { $0.text(label) }
                html.add(.input, with: attributes)
            }
            guard !errors.isEmpty || !hints.isEmpty else { return }
            html.add(.group, with: [.id(.message(index))]) { html in
                for error in errors { html.paragraph(error, style: .error) }
                for hint in hints { html.paragraph(hint, style: .hint) }
            }
        }
    }

    private var attributes: [HTML.Attribute?] {
        let isCode = input.autocomplete == "one-time-code"
        var attributes: [HTML.Attribute?] = [
            .id(id), .name(input.name), .type(type), value.map { .value($0) },
            input.isCheckbox && input.value == .bool(true) ? .checked : nil,
            input.required == true && !input.isCheckbox ? .required : nil,
            autocomplete.map { .autocomplete($0) },
            isCode ? .inputMode(.numeric) : type == .number ? .inputMode(.decimal) : nil,
            type == .number ? .anyStep : nil,
            input.pattern.map { .pattern($0) },
            input.maxlength.map { .maximumLength($0) },
            input.disabled ? .disabled : nil,
            errors.isEmpty ? nil : .invalid,
            errors.isEmpty && hints.isEmpty ? nil : .describedBy(.message(index)),
            isFocused ? .autofocus : nil,
        ]
        if isCode || isIdentifier { attributes += HTML.Attribute.verbatim }
        return attributes
    }

    private var type: HTML.InputType {
        HTML.InputType(rawValue: input.type) ?? .text
    }

    private var value: String? {
        switch type {
        // A password is never sent back.
        case .password: nil
        case .checkbox: "true"
        default: input.text.isEmpty ? nil : input.text
        }
    }

    /// Whether the field is for the address or name that a user logs in with.
    private var isIdentifier: Bool {
        input.name == "identifier" || input.name == "email"
    }

    private var autocomplete: String? {
        if let autocomplete = input.autocomplete { return autocomplete }
        switch (input.name, type) {
        case ("identifier", _), ("email", .text): return "username"
        case (_, .email): return "email"
        case (_, .tel): return "tel"
        default: return input.name.hasPrefix("traits.") ? Self.purposes[String(input.name.dropFirst(7))] : nil
        }
    }

    /// The purposes of the traits of built-in schemas, so that browsers can fill them in.
    private static let purposes = [
        "name": "name", "name.first": "given-name", "name.last": "family-name", "name.given": "given-name",
        "name.family": "family-name", "display_name": "nickname", "birthday": "bday", "region": "country",
    ]
}

extension UIAttributes.Input {
    fileprivate var isCheckbox: Bool { type == "checkbox" }

    /// The value as a text, which is empty if there is none.
    var text: String {
        switch value {
        case .string(let text)?: text
        case .bool(let flag)?: String(flag)
        case .integer(let number)?: String(number)
        case .double(let number)?: String(number)
        case .number(let number)?: number.description
        case .null?, .array?, .object?, nil: ""
        }
    }
}
