import LatchkeyAccounts
import LatchkeyServerKit
import LatchkeyWire
import Testing

@testable import LatchkeySelfService

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

extension Decision {
    /// Chooses the method of a submission, parses the submission, and describes the parsed input.
    init(
        _ submission: Submission,
        method: String? = nil,
        in context: FormContext,
        settings: FormSettings,
        describing describe: (Any) -> Decision?
    ) {
        switch MethodForms(settings).choice(method ?? submission.method, in: context) {
        case .unknown: self = .refused(with: .noStrategy(context.flow.kind))
        case .disabled: self = .disabled
        case .method(let form): self = Self.parse(submission, with: form, in: context, describing: describe)
        }
    }

    private static func parse(
        _ submission: Submission,
        with form: some MethodForm,
        in context: FormContext,
        describing describe: (Any) -> Decision?
    ) -> Decision {
        switch form.parse(submission, in: context) {
        case .refused(let form): .refused(form)
        case .valid(let input): describe(input) ?? Decision(name: "unexpected \(input)")
        }
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
