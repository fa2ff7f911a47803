public import LatchkeyWire

/// An input or a button of a flow's form.
public struct FlowInput: Hashable, Sendable {
    /// The type of an input, as in HTML.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The name of the type, as sent by the server.
        public let rawValue: String

        /// Creates a type with a name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A line of text.
        public static let text = Kind(rawValue: "text")
        /// A password, whose characters are not shown.
        public static let password = Kind(rawValue: "password")
        /// A number.
        public static let number = Kind(rawValue: "number")
        /// A choice between `true` and `false`.
        public static let checkbox = Kind(rawValue: "checkbox")
        /// A value that is submitted but not shown.
        public static let hidden = Kind(rawValue: "hidden")
        /// An e-mail address.
        public static let email = Kind(rawValue: "email")
        /// A phone number.
        public static let phone = Kind(rawValue: "tel")
        /// A URL.
        public static let url = Kind(rawValue: "url")
        /// A date.
        public static let date = Kind(rawValue: "date")
        /// A date and a time of day.
        public static let dateTime = Kind(rawValue: "datetime-local")
        /// A button that submits the form.
        public static let submit = Kind(rawValue: "submit")
        /// A button that does not submit the form by itself.
        public static let button = Kind(rawValue: "button")
    }

    /// A value that the user can choose.
    public struct Option: Hashable, Sendable {
        /// The value to submit.
        public var value: JSONValue
        /// The text for the user.
        public var label: String

        /// Creates an option.
        public init(value: JSONValue, label: String) {
            self.value = value
            self.label = label
        }
    }

    /// The name under which the value is submitted; dots separate the members of nested objects, as in
    /// `traits.name.first`.
    public var name: String

    /// The type; a type that this version does not know can be shown as a line of text.
    public var kind: Kind

    /// The current value, or the value that a button submits; `nil` if there is none.
    ///
    /// Always `nil` for passwords.
    public var value: JSONValue?

    /// Whether the form requires a value.
    public var isRequired: Bool

    /// Whether the user cannot change the value; it is not submitted.
    public var isDisabled: Bool

    /// The kind of data for automatic completion, as in HTML, such as `one-time-code`.
    public var autocomplete: String?

    /// A regular expression that valid values match; for hints, because the server checks every value.
    public var pattern: String?

    /// The maximum number of characters.
    public var maximumLength: Int?

    /// The values to choose from; empty if any value is possible.
    public var options: [Option]

    /// Creates an input.
    public init(
        name: String,
        kind: Kind,
        value: JSONValue? = nil,
        isRequired: Bool = false,
        isDisabled: Bool = false,
        autocomplete: String? = nil,
        pattern: String? = nil,
        maximumLength: Int? = nil,
        options: [Option] = []
    ) {
        self.name = name
        self.kind = kind
        self.value = value
        self.isRequired = isRequired
        self.isDisabled = isDisabled
        self.autocomplete = autocomplete
        self.pattern = pattern
        self.maximumLength = maximumLength
        self.options = options
    }

    /// Whether the input is a button, whose value is submitted only if the user presses it.
    public var isButton: Bool { kind == .submit || kind == .button }
}

extension FlowInput {
    /// The maximum length of a name in bytes.
    private static let nameLimit = 256

    /// Decodes an input; `nil` if its name is missing, empty or too long.
    init?(decoding json: JSONValue) {
        guard let name = json["name"]?.text, !name.isEmpty, name.utf8.count <= Self.nameLimit else {
            return nil
        }
        let kind = Kind(rawValue: json["type"]?.text ?? "text")
        let options = (json["options"]?.array ?? []).prefix(Flow.limit).compactMap { option in
            option["value"].map { Option(value: $0, label: option["label"]?.text ?? $0.text ?? "") }
        }
        self.init(
            name: name,
            kind: kind,
            value: kind == .password || json["value"] == .null ? nil : json["value"],
            isRequired: json["required"]?.bool ?? false,
            isDisabled: json["disabled"]?.bool ?? false,
            autocomplete: json["autocomplete"]?.text,
            pattern: json["pattern"]?.text,
            maximumLength: json["maxlength"]?.integer,
            options: options
        )
    }
}
