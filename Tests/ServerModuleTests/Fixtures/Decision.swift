import LatchkeyAccounts
import LatchkeySelfService
import LatchkeyServerKit
import LatchkeyWire
import Testing

/// The decision about a submission, in a form that can be compared in table-driven tests.
struct Decision: Hashable, Sendable {
    /// The name of the decision's enum case.
    let name: String

    /// The associated values as text, except for the form.
    ///
    /// A value of `nil` is represented by `-`.
    var values: [String] = []

    /// The form to show again, or `nil` if the decision doesn't have one.
    var form: Form?

    static let disabled = Decision(name: "disabled")

    static func refused(_ form: Form) -> Decision { Decision(name: "refused", form: form) }

    /// Creates a decision that rejects a field.
    static func refused(
        _ field: String,
        with message: UIMessage,
        showing values: [String: JSONValue] = [:]
    ) -> Decision {
        var form = Form(values: values)
        form.refuse(field, with: message)
        return .refused(form)
    }

    /// Creates a decision that rejects the whole form.
    static func refused(with message: UIMessage, showing values: [String: JSONValue] = [:]) -> Decision {
        .refused(Form(values: values, messages: [message]))
    }
}

extension Traits {
    /// Creates traits from a JSON value that must be valid for the schema.
    static func valid(_ value: JSONValue, for schema: IdentitySchema) throws -> Traits {
        var form = Form()
        let submitted = try JSONParser.parse(JSONCoding.encode(value))
        return try #require(TraitValidator.read(submitted, schema: schema, into: &form))
    }

    /// The traits as JSON text.
    var text: String { String(decoding: json, as: UTF8.self) }
}
