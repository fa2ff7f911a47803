/// Parts that several pages have in common.
extension HTML {
    /// A button that submits a form.
    struct Button {
        var label: HTML
        var name: String?
        var value: String?
        /// Submits the form to another URL than that of its other buttons.
        var url: LinkURL?
        var isPrimary = false
        /// Whether the browser submits the form even if its fields are empty or invalid.
        var skipsValidation = false

        init(_ label: String, name: String? = nil, value: String? = nil) {
            self.init(HTML { $0.text(label) }, name: name, value: value)
        }

        init(_ label: HTML, name: String? = nil, value: String? = nil) {
            self.label = label
            self.name = name
            self.value = value
        }

        var primary: Button {
            var button = self
            button.isPrimary = true
            return button
        }
    }

    /// A link with its text.
    struct Anchor {
        let url: LinkURL
        let label: HTML
        /// Whether the link leads to a page of another party.
        var isForeign = false

        init(_ label: String, to url: LinkURL) {
            self.init(HTML { $0.text(label) }, to: url)
        }

        init(_ label: HTML, to url: LinkURL, isForeign: Bool = false) {
            self.url = url
            self.label = label
            self.isForeign = isForeign
        }
    }

    mutating func paragraph(_ text: String, style: ClassName? = nil) {
        add(.paragraph, with: [style.map { .style($0) }]) { $0.text(text) }
    }

    mutating func paragraph(_ html: HTML, style: ClassName? = nil) {
        add(.paragraph, with: [style.map { .style($0) }]) { $0.append(html) }
    }

    /// Appends a message that doesn't report an error.
    mutating func status(_ texts: [String]) {
        guard !texts.isEmpty else { return }
        add(.group, with: [.style(.status), .role(.status)]) { html in
            for text in texts { html.paragraph(text) }
        }
    }

    mutating func hidden(_ fields: [FormField]) {
        for field in fields {
            add(.input, with: [.type(.hidden), .name(field.name), .value(field.value)])
        }
    }

    mutating func button(_ button: Button) {
        let attributes: [Attribute?] = [
            .type(.submit), .style(button.isPrimary ? .primary : .secondary), button.name.map { .name($0) },
            button.value.map { .value($0) }, button.url.map { .formAction($0) },
            button.skipsValidation ? .noValidation : nil,
        ]
        add(.button, with: attributes) { $0.append(button.label) }
    }

    /// Appends a form without visible fields, in which each button is a decision.
    mutating func form(
        _ form: PageForm,
        buttons: [Button],
        content: (inout HTML) -> Void = { _ in }
    ) {
        add(.form, with: [.method(.post), .action(form.action)]) { html in
            html.hidden(form.fields)
            content(&html)
            html.add(.group, with: [.style(.actions)]) { html in
                for button in buttons { html.button(button) }
            }
        }
    }

    mutating func anchor(_ anchor: Anchor, style: ClassName? = nil) {
        let attributes: [Attribute?] = [
            .href(anchor.url), style.map { .style($0) }, anchor.isForeign ? .noReferrer : nil,
        ]
        add(.link, with: attributes) { $0.append(anchor.label) }
    }

    mutating func links(_ anchors: [Anchor]) {
        guard !anchors.isEmpty else { return }
        add(.list, with: [.style(.links)]) { html in
            for anchor in anchors { html.add(.item) { $0.anchor(anchor) } }
        }
    }
}

/// A hidden field of a form, such as the CSRF token.
package struct FormField: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// The URL that the form of a page is posted to, and its hidden fields.
package struct PageForm: Sendable {
    package let action: LinkURL
    package let fields: [FormField]

    /// Creates a form.
    ///
    /// The token protects the form from CSRF.
    package init(action: LinkURL, csrfToken: String, fields: [FormField] = []) {
        self.action = action
        self.fields = [FormField(name: "csrf_token", value: csrfToken)] + fields
    }
}
