extension HTML {
    /// An attribute, whose name is one of the names below.
    package struct Attribute: Sendable {
        let name: String
        /// The value before escaping, or `nil` for a Boolean attribute that is present.
        let value: String?

        private init(_ name: StaticString, value: String? = nil) {
            self.name = name.description
            self.value = value
        }

        // MARK: URLs

        package static func href(_ url: LinkURL) -> Self { Self("href", value: url.text) }
        /// A link to an element of the same page.
        package static func fragment(_ id: ID) -> Self { Self("href", value: "#" + id.text) }
        package static func action(_ url: LinkURL) -> Self { Self("action", value: url.text) }
        package static func formAction(_ url: LinkURL) -> Self { Self("formaction", value: url.text) }
        package static func source(_ url: LogoURL) -> Self { Self("src", value: url.text) }

        // MARK: Inputs

        package static func name(_ name: String) -> Self { Self("name", value: name) }
        package static func value(_ value: String) -> Self { Self("value", value: value) }
        package static func type(_ type: InputType) -> Self { Self("type", value: type.rawValue) }
        package static func method(_ method: FormMethod) -> Self { Self("method", value: method.rawValue) }
        package static func autocomplete(_ tokens: String) -> Self { Self("autocomplete", value: tokens) }
        package static func inputMode(_ mode: InputMode) -> Self { Self("inputmode", value: mode.rawValue) }
        package static func pattern(_ pattern: String) -> Self { Self("pattern", value: pattern) }
        package static func maximumLength(_ length: Int) -> Self { Self("maxlength", value: String(length)) }
        package static func label(for id: ID) -> Self { Self("for", value: id.text) }
        package static let required = Self("required")
        package static let checked = Self("checked")
        package static let disabled = Self("disabled")
        package static let autofocus = Self("autofocus")
        /// Hides an element from users.
        package static let hidden = Self("hidden")
        package static let noValidation = Self("formnovalidate")
        /// Accepts fractions, which a number field rejects by default.
        package static let anyStep = Self("step", value: "any")
        /// Turns off changes that phones make to identifiers and codes.
        package static let verbatim = [
            Self("autocapitalize", value: "none"), Self("spellcheck", value: "false"),
        ]

        // MARK: Accessibility

        package static func language(_ tag: String) -> Self { Self("lang", value: tag) }
        /// Derives the direction of a text from its words.
        package static let automaticDirection = Self("dir", value: "auto")
        package static func role(_ role: Role) -> Self { Self("role", value: role.rawValue) }
        package static func describedBy(_ id: ID) -> Self { Self("aria-describedby", value: id.text) }
        package static func ariaLabel(_ label: String) -> Self { Self("aria-label", value: label) }
        package static let invalid = Self("aria-invalid", value: "true")
        package static let current = Self("aria-current", value: "page")
        /// An empty text alternative, for images beside a text with the same content.
        package static let decorative = Self("alt", value: "")

        // MARK: Others

        package static func id(_ id: ID) -> Self { Self("id", value: id.text) }
        package static func style(_ name: ClassName) -> Self { Self("class", value: name.rawValue) }
        package static func time(_ time: String) -> Self { Self("datetime", value: time) }
        package static func size(_ pixels: Int) -> [Self] {
            [Self("width", value: String(pixels)), Self("height", value: String(pixels))]
        }
        package static let utf8 = Self("charset", value: "utf-8")
        package static let viewport = [
            Self("name", value: "viewport"), Self("content", value: "width=device-width, initial-scale=1"),
        ]
        package static let stylesheet = Self("rel", value: "stylesheet")
        package static let svgIcon = [Self("rel", value: "icon"), Self("type", value: "image/svg+xml")]
        /// Hides the address of the page from the site that a link leads to.
        package static let noReferrer = Self("rel", value: "noreferrer")
        package static let noImageReferrer = Self("referrerpolicy", value: "no-referrer")
    }

    /// The values of an input's or a button's `type`.
    package enum InputType: String, Sendable {
        case text, password, email, tel, url, number, date, checkbox, hidden, submit
    }

    /// The on-screen keyboards that phones offer.
    package enum InputMode: String, Sendable {
        case numeric, decimal
    }

    package enum FormMethod: String, Sendable {
        case get, post
    }

    /// The roles of messages.
    package enum Role: String, Sendable {
        case alert, status
    }
}
