import LatchkeyAccounts
import LatchkeySelfService
import LatchkeyServerKit
import LatchkeyWire
import Testing

/// The decision about a submission, in a form that a table can compare.
struct Decision: Hashable, Sendable {
    /// The name of the case.
    let name: String

    /// The associated values other than the form; `nil` values are written as `-`.
    var values: [String] = []

    /// The form that is shown again; `nil` if the case has no form.
    var form: Form?

    static let disabled = Decision(name: "disabled")

    static func refused(_ form: Form) -> Decision { Decision(name: "refused", form: form) }

    /// Creates the rejection of a field.
    static func refused(
        _ field: String,
        with message: UIMessage,
        showing values: [String: JSONValue] = [:]
    ) -> Decision {
        var form = Form(values: values)
        form.refuse(field, with: message)
        return .refused(form)
    }

    /// Creates the rejection of the whole form.
    static func refused(with message: UIMessage, showing values: [String: JSONValue] = [:]) -> Decision {
        .refused(Form(values: values, messages: [message]))
    }
}

extension Traits {
    /// Returns the traits in a JSON value, which must be valid for a schema.
    static func valid(_ value: JSONValue, for schema: IdentitySchema) throws -> Traits {
        var form = Form()
        let submitted = try JSONParser.parse(JSONCoding.encode(value))
        return try #require(TraitValidator.read(submitted, schema: schema, into: &form))
    }

    /// The traits as JSON text.
    var text: String { String(decoding: json, as: UTF8.self) }
}
