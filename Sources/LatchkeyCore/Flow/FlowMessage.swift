import LatchkeyModel
public import LatchkeyWire

/// A message of a flow for the user, about the whole form or about one of its fields.
public struct FlowMessage: Hashable, Sendable {
    /// The severity of a message.
    public enum Severity: String, Sendable {
        /// Information, such as a request to enter a code.
        case info
        /// An error in the input, or the reason why the flow cannot continue.
        case error
        /// The result of a step, such as saved settings.
        case success
    }

    /// The number of the message, as assigned by Ory Kratos; 0 if the server did not send it.
    ///
    /// Identify messages by their number, not by their text.
    public var id: Int

    /// The text for the user, in the language that the server selected from the client's languages.
    public var text: String

    /// The severity.
    public var severity: Severity

    /// The values that appear in the text, by name.
    public var context: [String: JSONValue]

    /// Creates a message.
    public init(id: Int, text: String, severity: Severity, context: [String: JSONValue] = [:]) {
        self.id = id
        self.text = text
        self.severity = severity
        self.context = context
    }
}

extension FlowMessage {
    /// Decodes a message; `nil` if the value is not an object.
    ///
    /// An unknown severity becomes `info`, so that it is shown but does not count as an error.
    init?(decoding json: JSONValue?) {
        guard let json, case .object = json else { return nil }
        self.init(
            id: json["id"]?.integer ?? 0,
            text: json["text"]?.text ?? "",
            severity: json["type"]?.text.flatMap { Severity(rawValue: $0) } ?? .info,
            context: json["context"]?.object ?? [:]
        )
    }

    /// Decodes the elements of an array that are messages.
    ///
    /// - Parameter json: The array; any other value results in an empty list.
    /// - Returns: The messages, at most ``Flow/limit``.
    static func messages(decoding json: JSONValue?) -> [FlowMessage] {
        (json?.array ?? []).prefix(Flow.limit).compactMap { FlowMessage(decoding: $0) }
    }

    /// Returns the message with all occurrences of the given secrets masked.
    func without(_ secrets: [Secret]) -> FlowMessage {
        var message = self
        for secret in secrets {
            message.text = message.text.replacing(secret.exposed, with: secret.description)
            for (name, value) in message.context where value.text?.contains(secret.exposed) == true {
                message.context[name] = nil
            }
        }
        return message
    }
}
