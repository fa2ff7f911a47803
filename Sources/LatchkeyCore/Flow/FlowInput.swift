import LatchkeyModel
public import LatchkeyWire

/// An input or button in a flow's form.
public struct FlowInput: Hashable, Sendable {
    /// The type of an input, as in HTML.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The server's name for the type.
        public let rawValue: String

        /// Creates a type from its name in the server's API.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A single line of text.
        public static let text = Kind(rawValue: "text")
        /// A password input that hides the characters.
        public static let password = Kind(rawValue: "password")
        /// A number.
        public static let number = Kind(rawValue: "number")
        /// A checkbox whose value is `true` or `false`.
        public static let checkbox = Kind(rawValue: "checkbox")
        /// A value that is submitted with the form, but not shown to the user.
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
        /// A button that doesn't submit the form itself.
        public static let button = Kind(rawValue: "button")
    }

    /// One of the values that the user can choose from.
    public struct Option: Hashable, Sendable {
        /// The value to submit.
        public var value: JSONValue
        /// The text to show to the user.
        public var label: String

        /// Creates an option.
        public init(value: JSONValue, label: String) {
            self.value = value
            self.label = label
        }
    }

    /// The name of the value in the submission.
    ///
    /// Dots separate the members of nested objects, as in `traits.name.first`.
    public var name: String

    /// The type of the input.
    ///
    /// Inputs of an unknown type can be shown as a line of text.
    public var kind: Kind

    /// The current value, the value that a button submits, or `nil` if there is none.
    ///
    /// For passwords, the value is always `nil`.
    public var value: JSONValue?

    /// Whether the user has to enter a value.
    public var isRequired: Bool

    /// Whether the user must not change the value.
    ///
    /// Values of disabled inputs aren't submitted.
    public var isDisabled: Bool

    /// The kind of data for autofill, as in HTML, such as `one-time-code`.
    public var autocomplete: String?

    /// A regular expression that valid values match.
    ///
    /// The pattern is only a hint, because the server validates every value.
    public var pattern: String?

    /// The maximum number of characters that the user can enter.
    public var maximumLength: Int?

    /// The values that the user can choose from, or an empty list if any value is allowed.
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

    /// Whether the input is a button.
    ///
    /// The value of a button is only submitted if the user presses it.
    public var isButton: Bool { kind == .submit || kind == .button }
}

extension FlowInput {
    /// The maximum length of a name in bytes.
    private static let nameLimit = 256

    /// Decodes an input.
    ///
    /// Returns `nil` if the input's name is missing, empty or too long.
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

extension FlowInput: CustomReflectable {
    /// A mirror for printing, in which the value that the server filled in is masked.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "name": name, "kind": kind, "value": value.map { Masked($0.text ?? "") } as Any,
                "isRequired": isRequired, "isDisabled": isDisabled, "autocomplete": autocomplete as Any,
                "pattern": pattern as Any, "maximumLength": maximumLength as Any, "options": options,
            ],
            displayStyle: .struct
        )
    }
}
