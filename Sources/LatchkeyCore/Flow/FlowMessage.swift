import LatchkeyModel
public import LatchkeyWire

/// A message for the user about a form or one of its fields.
public struct FlowMessage: Hashable, Sendable {
    /// The severity of a message.
    public enum Severity: String, Sendable {
        /// Information for the user, such as a request to enter a code.
        case info
        /// An error message about the user's input, or an explanation of why the flow can't continue.
        case error
        /// A confirmation, such as that the settings were saved.
        case success
    }

    /// The id that Ory Kratos defines for the message, or 0 if the server didn't send one.
    ///
    /// Use this id to identify messages, because their text may change.
    public var id: Int

    /// The text for the user, in one of the languages that the client asked for.
    public var text: String

    /// The severity of the message.
    public var severity: Severity

    /// The values that were inserted into the text, keyed by name.
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
    /// Decodes a message.
    ///
    /// Returns `nil` if the JSON value isn't an object.
    ///
    /// A message with an unknown severity is decoded as `info`, so that it is shown without being treated as
    /// an error.
    init?(decoding json: JSONValue?) {
        guard let json, case .object = json else { return nil }
        self.init(
            id: json["id"]?.integer ?? 0,
            text: json["text"]?.text ?? "",
            severity: json["type"]?.text.flatMap { Severity(rawValue: $0) } ?? .info,
            context: json["context"]?.object ?? [:]
        )
    }

    /// Decodes an array of messages and skips elements that aren't messages.
    ///
    /// - Parameter json: The array. If this isn't an array, the result is empty.
    /// - Returns: Up to ``Flow/limit`` messages.
    static func messages(decoding json: JSONValue?) -> [FlowMessage] {
        (json?.array ?? []).prefix(Flow.limit).compactMap { FlowMessage(decoding: $0) }
    }

    /// Returns a copy of the message in which the given secrets are masked.
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

extension FlowMessage: CustomReflectable {
    /// A mirror for printing, in which addresses in the text and the values of the context are masked.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "id": id, "text": ContactPattern.masked(text), "severity": severity,
                "context": context.mapValues { _ in Masked() },
            ],
            displayStyle: .struct
        )
    }
}
