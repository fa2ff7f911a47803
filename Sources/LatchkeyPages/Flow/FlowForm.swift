import LatchkeySelfService
import LatchkeyWire

/// The form of a flow's page: the nodes in the order in which the page shows them.
struct FlowForm {
    /// A group of the settings, which the page shows separately.
    struct Section {
        let group: String
        let title: String
    }

    /// The sections, or an empty list if the page shows all nodes.
    let sections: [Section]
    /// The group of the section that is shown.
    let section: String?
    private let hasPassword: Bool
    /// The texts of the messages that don't report errors.
    let messages: [String]
    /// The errors of the flow, followed by those of its fields.
    let errors: [FlowMessages.Failure]

    private let action: LinkURL
    private let method: HTML.FormMethod
    private let elements: [Element]

    private enum Element {
        case hidden(FormField)
        case field(FlowField)
        case button(HTML.Button)
        case link(HTML.Anchor)
    }

    init(of page: FlowPage, in texts: PageTexts) {
        let ui = page.ui
        action = LinkURL(ui.action) ?? .root
        method = ui.method.uppercased() == "GET" ? .get : .post
        let groups = page.kind == .settings ? Self.groups(of: ui.nodes) : []
        if groups.count > 1 {
            sections = groups.map { group in
                Section(group: group, title: Self.title(of: group, nodes: ui.nodes, in: texts))
            }
            section = Self.section(among: groups, of: page)
        } else {
            (sections, section) = ([], nil)
        }
        let shown = ui.nodes.filter { [section] in
            section == nil || $0.group == section || $0.group == "default"
        }
        hasPassword = shown.contains { $0.input?.type == "password" }
        elements = Self.elements(of: Self.ordered(shown), of: page, in: texts)

        let own = ui.messages ?? []
        messages = own.filter { $0.type != .error }.map { texts($0) }
        let fields = elements.compactMap { if case .field(let field) = $0 { field } else { nil } }
        let hidden = shown.filter { $0.isHidden }.flatMap(\.messages).filter { $0.type == .error }
        errors =
            (own.filter { $0.type == .error } + hidden).map { .init(text: texts($0), field: nil) }
            + fields.flatMap { field in
                field.errors.map { .init(text: "\(field.name): \($0)", field: field.id) }
            }
    }

    // MARK: Sections

    private static func groups(of nodes: [UINode]) -> [String] {
        nodes.map(\.group).reduce(into: []) { groups, group in
            if group != "default", !groups.contains(group) { groups.append(group) }
        }
    }

    private static func title(of group: String, nodes: [UINode], in texts: PageTexts) -> String {
        switch group {
        case "profile": texts(.profile)
        case "password": texts(FormText.password)
        default:
            nodes.first { $0.group == group && $0.meta.label != nil }?.meta.label.map { texts($0) } ?? group
        }
    }

    /// Returns the section that the user has chosen, has to see next, or has last submitted.
    private static func section(among groups: [String], of page: FlowPage) -> String? {
        // Only the flow that has just been refused has errors.
        let refused = page.ui.nodes.first { node in node.messages.contains { $0.type == .error } }?.group
        let candidates = [page.section, refused, page.isRecovered ? "password" : nil, page.active]
        return candidates.lazy.compactMap { $0 }.first { groups.contains($0) } ?? groups.first
    }

    // MARK: Elements

    /// Returns the nodes with the group of the password before other methods.
    ///
    /// The Enter key presses the first button, so a user who has typed a password must not ask for a code.
    private static func ordered(_ nodes: [UINode]) -> [UINode] {
        guard let group = nodes.first(where: { $0.input?.type == "password" })?.group else { return nodes }
        let rank = { (node: UINode) in
            node.group == "default" ? 0 : node.group == group ? 1 : 2
        }
        return (0...2).flatMap { wanted in nodes.filter { rank($0) == wanted } }
    }

    private static func elements(of nodes: [UINode], of page: FlowPage, in texts: PageTexts) -> [Element] {
        let focused =
            nodes.firstIndex { !$0.isHidden && $0.messages.contains { $0.type == .error } }
            ?? (page.state == .sentEmail
                ? nodes.firstIndex { $0.input?.autocomplete == "one-time-code" } : nil)
        var hasButton = false
        return nodes.enumerated().compactMap { index, node in
            switch node.attributes {
            case .unknown: return nil
            case .link(let link):
                let url = LinkURL(redirect: link.href) ?? LinkURL(link.href)
                return url.map { .link(HTML.Anchor(texts(link.title), to: $0)) }
            case .input(let input) where input.type == "hidden":
                return .hidden(FormField(name: input.name, value: input.text))
            case .input(let input) where input.type == "submit":
                var button = HTML.Button(
                    node.meta.label.map { texts($0) } ?? texts(FormText.proceed),
                    name: input.name,
                    value: input.text
                )
                button.isPrimary = !hasButton
                button.skipsValidation = hasButton
                hasButton = true
                return .button(button)
            case .input(let input):
                let isFocused = index == focused
                return .field(
                    FlowField(input, of: node, id: index + 1, isFocused: isFocused, in: texts)
                )
            }
        }
    }

    // MARK: HTML

    /// Appends the form, and the links among its nodes.
    ///
    /// Without a button, the fields can't be submitted, so they are left out.
    func write(account: String?, cancel: LinkURL?, texts: PageTexts, to html: inout HTML) {
        let isComplete = elements.contains { if case .button = $0 { true } else { false } }
        if isComplete || cancel != nil {
            html.add(.form, with: [.method(method), .action(action)]) { html in
                if let account, hasPassword { Self.write(account: account, to: &html) }
                for element in elements {
                    switch element {
                    case .hidden(let field): html.hidden([field])
                    case .field(let field) where isComplete: field.write(to: &html)
                    case .button(let button): html.button(button)
                    case .field, .link: break
                    }
                }
                guard let cancel else { return }
                var button = HTML.Button(texts(.cancel))
                button.url = cancel
                button.skipsValidation = true
                html.button(button)
            }
        }
        for case .link(let anchor) in elements { html.anchor(anchor, style: .primary) }
    }

    /// Appends a field that isn't submitted, from which password managers know the account of a new password.
    private static func write(account: String, to html: inout HTML) {
        html.add(.input, with: [.type(.text), .autocomplete("username"), .value(account), .hidden])
    }
}

extension UINode {
    fileprivate var input: UIAttributes.Input? {
        if case .input(let input) = attributes { input } else { nil }
    }

    fileprivate var isHidden: Bool { input?.type == "hidden" }
}
