import LatchkeyModel
import LatchkeyServerKit
package import LatchkeyWire

/// The messages and accepted values that are stored with a flow, with a maximum size of ``FlowBounds/form``
/// bytes.
///
/// Rejected values are shown only in the response to the submission that contains them. Submitted values are
/// removed from messages, so the only submitted text that a stored message can contain is the name of an
/// unknown field, which is a ``LatchkeyServerKit/PlainName``. If the form is too large, its values are
/// dropped first, then the messages about individual fields, and finally all messages.
package enum StoredForm {
    /// The members of a message's context that aren't stored, because they contain submitted values or an
    /// account's identifier.
    private static let quotations: Set<String> = ["value", "actual", "credential_identifier_hint"]

    /// Encodes a form for storage.
    ///
    /// - Parameters:
    ///   - form: The form whose messages are stored.
    ///   - values: The values to store. Values of rejected fields are left out.
    /// - Returns: A JSON object of at most ``FlowBounds/form`` bytes.
    package static func encode(_ form: Form, storing values: [String: JSONValue]) -> [UInt8] {
        let refused = Set(form.fieldMessages.map(\.field))
        let accepted = values.filter { !refused.contains($0.key) }.compactMapValues(normalized)
        for (values, hasFields) in [(accepted, true), ([:], true), ([:], false)] {
            let bytes = encode(
                messages: form.messages,
                values: values,
                fields: hasFields ? form.fieldMessages : []
            )
            if bytes.count <= FlowBounds.form { return bytes }
        }
        return encode(messages: [], values: [:], fields: [])
    }

    /// Decodes a stored form.
    ///
    /// If the bytes cannot be parsed, for example because another version has stored the form, the result is
    /// an empty form.
    package static func decode(_ bytes: [UInt8]) -> Form {
        guard let stored = try? JSONParser.parse(bytes, from: .storage) else { return Form() }
        var form = Form()
        if case .object(let values)? = stored["values"] {
            for value in values { form.values[value.name] = value.value.unordered }
        }
        if case .array(let messages)? = stored["messages"] { form.messages = messages.compactMap(message) }
        if case .array(let fields)? = stored["fields"] {
            for item in fields {
                guard case .string(let field)? = item["field"], let message = message(item) else { continue }
                form.refuse(field, with: message)
            }
        }
        return form
    }

    /// Normalizes an address, so that the value can be found when the account is deleted.
    ///
    /// Returns `nil` if the text is too long.
    private static func normalized(_ value: JSONValue) -> JSONValue? {
        guard case .string(let text) = value else { return value }
        guard text.utf8.count <= FlowBounds.form else { return nil }
        return .string(PhoneNumber(text)?.e164 ?? EmailAddress(text)?.address ?? text)
    }

    /// Encodes the parts of a form as a JSON object, without limiting its size.
    private static func encode(
        messages: [UIMessage],
        values: [String: JSONValue],
        fields: [Form.FieldMessage]
    ) -> [UInt8] {
        var writer = JSONWriter(reserving: 256)
        writer.object { writer in
            if !values.isEmpty {
                writer.name("values")
                writer.value(.object(values))
            }
            if !messages.isEmpty {
                writer.name("messages")
                writer.array { writer in for message in messages { write(message, to: &writer) } }
            }
            if !fields.isEmpty {
                writer.name("fields")
                writer.array { writer in
                    for item in fields { write(item.message, of: item.field, to: &writer) }
                }
            }
        }
        return writer.bytes
    }

    /// Writes a message with its English text, which is translated when the form is shown.
    private static func write(_ message: UIMessage, of field: String? = nil, to writer: inout JSONWriter) {
        writer.object { writer in
            if let field {
                writer.name("field")
                writer.string(field)
            }
            writer.name("id")
            writer.integer(Int64(message.id.rawValue))
            writer.name("text")
            writer.string(message.text)
            writer.name("type")
            writer.string(message.type.rawValue)
            if let context = message.context {
                writer.name("context")
                writer.value(.object(context.filter { !quotations.contains($0.key) }))
            }
        }
    }

    /// Reads a message.
    ///
    /// Returns `nil` if a member is missing, or if this version of the server doesn't know the message's
    /// type.
    private static func message(_ stored: OrderedJSON) -> UIMessage? {
        guard
            case .integer(let id)? = stored["id"], case .string(let text)? = stored["text"],
            case .string(let type)? = stored["type"], let type = UIMessage.Kind(rawValue: type)
        else { return nil }
        let context: [String: JSONValue]? =
            if case .object(let members)? = stored["context"]?.unordered { members } else { nil }
        return UIMessage(id: MessageID(rawValue: Int(id)), text: text, type: type, context: context)
    }
}
